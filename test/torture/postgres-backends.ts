import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { LoadClients, stopAll } from './support/postgres-clients.ts';
import { Database, killBackends } from './support/database.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const INSTANCES = 3;
const KILL_INTERVAL_MS = 200;
const KILLS_PER_ROUND = 100;

async function run({ rounds, isShort, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const servers = await database.serveInstances(INSTANCES);
  const killer = await database.connect();
  const clients = new LoadClients({ recorder: new WriteRecorder(random), random, tally, servers });
  let killed = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    for (let n = 0; n < (isShort ? 10 : KILLS_PER_ROUND); n++) {
      await sleep(KILL_INTERVAL_MS);
      killed += await killBackends(killer);
    }
    log(`${tally.rounds + 1} of ${rounds}, ${killed} backends ended`);
  }
  const seconds = await clients.recover();
  await stopAll(servers, tally);
  return tally.outcome(
    `${killed} backends ended; ${clients.summary}; every instance stored a write after ${seconds} s`,
  );
}

export const postgresBackends: Scenario = {
  name: 'postgres-backends',
  description: 'three instances on one PostgreSQL under load, all of whose backends are ended every 200 ms',
  requirements: ['signals'],
  rounds: 1,
  maxSecondsPerRound: 60,
  run,
};
