import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { Clients, endAll } from './support/postgres-clients.ts';
import { Database, killBackends } from './support/database.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const INSTANCES = 3;
const EVERY_MS = 200;
const KILLS_EACH = 100;

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  const database = await Database.begin(place);
  const servers = await database.serve(INSTANCES);
  const killer = await database.connect();
  const clients = new Clients({ book: new Book(chance), chance, tally, servers });
  let killed = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    for (let n = 0; n < KILLS_EACH; n++) {
      await sleep(EVERY_MS);
      killed += await killBackends(killer);
    }
    tell(`${tally.rounds + 1} of ${rounds}, ${killed} backends ended`);
  }
  const seconds = await clients.recover();
  await endAll(servers, tally);
  return tally.outcome(`${killed} backends ended; ${clients.told}; all took writes again after ${seconds} s`);
}

export const postgresBackends: TorturePromise = {
  name: 'postgres-backends',
  does: 'three instances on one PostgreSQL under load, all of whose backends are ended every 200 ms',
  needs: ['signals'],
  rounds: 1,
  seconds: 60,
  run,
};
