import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { Clients, endAll } from './support/postgres-clients.ts';
import { Wire, type Cut } from './support/fault-proxy.ts';
import { Database } from './support/database.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const INSTANCES = 3;

/** One in so many commits is cut. */
const ONE_IN = 10;

/** Longer than an instance may hold up the others. */
const LATEST_MS = 2500;

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  const database = await Database.begin(place);
  const wire = await Wire.open(place, database.url);
  const servers = await database.serve(INSTANCES, wire.url);
  const cuts: Cut[] = [];
  let commits = 0;
  wire.atCommit = () => {
    commits += 1;
    if (cuts.length >= rounds || chance.below(ONE_IN) > 0) return undefined;
    const cut = (['packet', 'commit', 'answer', { late: chance.below(LATEST_MS) }] as const)[
      chance.below(4)
    ]!;
    cuts.push(cut);
    if (cuts.length % 20 === 0) tell(`${cuts.length} of ${rounds}`);
    return cut;
  };
  const clients = new Clients({ book: new Book(chance), chance, tally, servers });
  while (cuts.length < rounds) await sleep(100);
  tally.rounds = cuts.length;
  const seconds = await clients.recover();
  await endAll(servers, tally);
  const many = (kind: Cut): number => cuts.filter((cut) => cut === kind).length;
  return tally.outcome(
    `of ${commits} commits ${many('packet')} lost with what was decided, ${many('commit')} alone, ${many('answer')} without ` +
      `their answer, ${cuts.filter((cut) => typeof cut === 'object').length} late; ${clients.told}; all took writes again after ${seconds} s`,
  );
}

export const postgresLostCommits: TorturePromise = {
  name: 'postgres-lost-commits',
  does: 'connections are cut right before or after a commit, or the commit arrives when its sender is gone',
  rounds: 80,
  seconds: 5,
  run,
};
