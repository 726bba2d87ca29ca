import { campaign } from './campaign.ts';
import { differential } from './differential.ts';
import { diskFull } from './disk-full.ts';
import {
  folderImport,
  folderKills,
  folderShares,
  folderSlowSyncs,
  folderStops,
  folderWithoutLock,
} from './folder-processes.ts';
import { folderPauses } from './folder-pauses.ts';
import { fullJournals } from './full-journals.ts';
import { hangUps } from './hang-ups.ts';
import { hiddenBoot } from './hidden-boot.ts';
import { living, postgresLiving } from './living.ts';
import { oneNetwork } from './one-network.ts';
import { eraseRaces, ignoredLocks, powerCut } from './model-runs.ts';
import { publicPlace } from './public-place.ts';
import { postgresBackends } from './postgres-backends.ts';
import { postgresCuts } from './postgres-cuts.ts';
import { postgresRestarts } from './postgres-restarts.ts';
import { reportKills } from './report-kills.ts';
import type { Scenario } from './scenario.ts';
import { restore } from './restore.ts';

/** In the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  folderKills,
  powerCut,
  eraseRaces,
  ignoredLocks,
  folderStops,
  folderWithoutLock,
  folderPauses,
  folderImport,
  folderShares,
  folderSlowSyncs,
  hiddenBoot,
  diskFull,
  differential,
  publicPlace,
  restore,
  campaign,
  oneNetwork,
  reportKills,
  fullJournals,
  hangUps,
  living,
  postgresBackends,
  postgresCuts,
  postgresRestarts,
  postgresLiving,
];
