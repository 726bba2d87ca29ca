import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { Clients, endAll } from './support/postgres-clients.ts';
import { Database } from './support/database.ts';
import { secondsSince } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const INSTANCES = 3;
const LONGEST_LIFE_MS = 2000;
const LONGEST_AWAY_MS = 2000;

/** In every third round it is away for longer than a caller is left without an answer. */
const LONG_AWAY_MS = 7000;

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  const database = await Database.begin(place);
  const servers = await database.serve(INSTANCES);
  const clients = new Clients({ book: new Book(chance), chance, tally, servers });
  let away = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    await sleep(500 + chance.below(LONGEST_LIFE_MS));
    const refused = clients.writes.count('storage_unavailable');
    const start = performance.now();
    await database.crash(tally.rounds % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
    const isLong = tally.rounds % 3 === 0;
    await sleep(isLong ? LONG_AWAY_MS : chance.below(LONGEST_AWAY_MS));
    if (isLong)
      tally.expect(clients.writes.count('storage_unavailable') > refused, 'nobody was told that it is away');
    await database.start();
    away += secondsSince(start);
    tell(`${tally.rounds + 1} of ${rounds}`);
  }
  const seconds = await clients.recover();
  await endAll(servers, tally);
  return tally.outcome(
    `away for ${Math.round(away)} s in all; ${clients.told}; all took writes again after ${seconds} s`,
  );
}

export const postgresRestarts: TorturePromise = {
  name: 'postgres-restarts',
  does: 'PostgreSQL crashes (kill -9, immediate stop) under three instances under load, and is started again',
  needs: ['signals'],
  rounds: 6,
  seconds: 30,
  run,
};
