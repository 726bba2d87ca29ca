import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { LoadClients, stopAll } from './support/postgres-clients.ts';
import { Database } from './support/database.ts';
import { secondsSince } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const INSTANCES = 3;
const MAX_UPTIME_MS = 2000;
const MAX_DOWNTIME_MS = 2000;

/** In every third round: longer than the timeout of a request. */
const LONG_DOWNTIME_MS = 7000;

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const servers = await database.serveInstances(INSTANCES);
  const clients = new LoadClients({ recorder: new WriteRecorder(random), random, tally, servers });
  let downtime = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    await sleep(500 + random.below(MAX_UPTIME_MS));
    const refused = clients.writes.count('storage_unavailable');
    const start = performance.now();
    await database.crash(tally.rounds % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
    const isLong = tally.rounds % 3 === 0;
    await sleep(isLong ? LONG_DOWNTIME_MS : random.below(MAX_DOWNTIME_MS));
    if (isLong)
      tally.expect(
        clients.writes.count('storage_unavailable') > refused,
        'no post was rejected while the database was stopped',
      );
    await database.start();
    downtime += secondsSince(start);
    log(`${tally.rounds + 1} of ${rounds}`);
  }
  const seconds = await clients.recover();
  await stopAll(servers, tally);
  return tally.outcome(
    `away for ${Math.round(downtime)} s in all; ${clients.summary}; every instance stored a write after ${seconds} s`,
  );
}

export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  description:
    'PostgreSQL crashes (kill -9, immediate stop) under three instances under load, and is started again',
  requirements: ['signals'],
  rounds: 6,
  maxSecondsPerRound: 30,
  run,
};
