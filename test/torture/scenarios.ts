import { acknowledge } from './acknowledge.ts';
import { cacheFlood } from './cache-flood.ts';
import { campaign } from './campaign.ts';
import { cleanStop } from './clean-stop.ts';
import { clockBack } from './clock-back.ts';
import { damage } from './damage.ts';
import { differential } from './differential.ts';
import { diskFull } from './disk-full.ts';
import { eio } from './eio.ts';
import {
  folderImport,
  folderKills,
  folderShares,
  folderSlowSyncs,
  folderStops,
  folderWithoutLock,
} from './folder-processes.ts';
import { fullJournals } from './full-journals.ts';
import { greedy } from './greedy.ts';
import { hangUps } from './hang-ups.ts';
import { kill } from './kill.ts';
import { mirror } from './mirror.ts';
import { oneNetwork } from './one-network.ts';
import { otherUser } from './other-user.ts';
import { portTaken } from './port-taken.ts';
import { processes } from './processes.ts';
import { eraseRaces, ignoredLocks, powerCut } from './model-runs.ts';
import { publicPlace } from './public-place.ts';
import { postgresBackends } from './postgres-backends.ts';
import { postgresLimits } from './postgres-limits.ts';
import { postgresLostCommits } from './postgres-lost-commits.ts';
import { postgresRestarts } from './postgres-restarts.ts';
import { postgresSlow } from './postgres-slow.ts';
import { postgresStoppedInstance } from './postgres-stopped-instance.ts';
import { reportKills } from './report-kills.ts';
import type { Scenario } from './scenario.ts';
import { readOnly } from './read-only.ts';
import { restore } from './restore.ts';
import { retries } from './retries.ts';
import { slowClients } from './slow-clients.ts';
import { statusFaults } from './status-faults.ts';
import { streamChurn } from './stream-churn.ts';
import { unreadAnswers } from './unread-answers.ts';
import { wrongClock } from './wrong-clock.ts';

/** In the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  kill,
  folderKills,
  acknowledge,
  damage,
  powerCut,
  eraseRaces,
  ignoredLocks,
  processes,
  folderStops,
  folderWithoutLock,
  folderImport,
  folderShares,
  folderSlowSyncs,
  diskFull,
  readOnly,
  eio,
  retries,
  differential,
  mirror,
  portTaken,
  clockBack,
  wrongClock,
  otherUser,
  cleanStop,
  publicPlace,
  restore,
  statusFaults,
  slowClients,
  campaign,
  oneNetwork,
  reportKills,
  fullJournals,
  greedy,
  hangUps,
  cacheFlood,
  unreadAnswers,
  streamChurn,
  postgresBackends,
  postgresRestarts,
  postgresLostCommits,
  postgresLimits,
  postgresSlow,
  postgresStoppedInstance,
];
