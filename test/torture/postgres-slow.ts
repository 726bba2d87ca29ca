import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Book } from './support/write-recorder.ts';
import { Answers, Clients, endAll, HEALTH_SECONDS } from './support/postgres-clients.ts';
import { Wire } from './support/fault-proxy.ts';
import { countBackends, Database, killBackends } from './support/database.ts';
import type { Place } from './support/sandbox.ts';
import type { Server } from './support/server.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const INSTANCES = 2;
const CONNECTIONS = 60;
const TROUBLE_MS = 20_000;
const CALM_MS = 1500;
const MOST_TRIES = 50;
const AT_ONCE = 8;

interface World {
  readonly place: Place;
  readonly database: Database;
  readonly wire: Wire;
}

interface Trouble {
  readonly name: string;
  readonly leavesReads: boolean;
  /** @returns how to end it */
  readonly begin: (world: World) => Promise<() => unknown>;
}

async function holdTheClock({ database }: World): Promise<() => unknown> {
  const client = await database.connect();
  await client.query('begin; select from porchlight.clock for update');
  return () => client.query('rollback');
}

/** Somebody else takes every connection there is, those of the instances too. */
async function takeAll({ database }: World): Promise<() => unknown> {
  const killer = await database.connect();
  const taken: pg.Client[] = [];
  const take = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client(database.url);
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      taken.push(client);
    }
  };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    if ((await countBackends(killer)) === 0) break;
    await killBackends(killer);
  }
  return () => Promise.all([killer, ...taken].map((client) => client.end()));
}

const TROUBLES: readonly Trouble[] = [
  { name: 'another session holds the clock row', leavesReads: true, begin: holdTheClock },
  {
    name: 'all connections are silent, and go on',
    leavesReads: false,
    begin: async ({ wire }) => {
      wire.silence();
      return () => {
        wire.resume();
      };
    },
  },
  { name: 'no connection is left', leavesReads: false, begin: takeAll },
  {
    name: 'all connections are silent, and are lost',
    leavesReads: false,
    begin: async ({ wire }) => {
      wire.silence();
      return () => {
        wire.cut();
      };
    },
  },
];

/** While it lasts, the health check of every instance tells of it. */
async function watchHealth(servers: readonly Server[], health: Answers): Promise<void> {
  const end = performance.now() + TROUBLE_MS - HEALTH_SECONDS * 1000;
  await Promise.all(
    servers.map(async ({ url }) => {
      while (performance.now() < end) {
        await health.healthz(url, HEALTH_SECONDS).catch(() => undefined);
        await sleep(500);
      }
    }),
  );
}

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  const database = await Database.begin(place, CONNECTIONS);
  const wire = await Wire.open(place, database.url);
  const servers = await database.serve(INSTANCES, wire.url);
  const book = new Book(chance);
  const told: string[] = [];
  for (; tally.rounds < rounds; tally.rounds++) {
    const { name, leavesReads, begin } = TROUBLES[tally.rounds % TROUBLES.length]!;
    const clients = new Clients({ book, chance, tally, servers });
    const health = new Answers(tally);
    await sleep(CALM_MS);
    const endIt = await begin({ place, database, wire });
    const start = performance.now();
    await watchHealth(servers, health);
    await sleep(Math.max(0, TROUBLE_MS - (performance.now() - start)));
    tally.expect(health.count('200') === 0, `${name}: /healthz said 200`);
    tally.expect(clients.writes.count('storage_unavailable') > 0, `${name}: no post was refused`);
    if (leavesReads)
      tally.expect(clients.reads.count('storage_unavailable') === 0, `${name}: a read was refused`);
    await endIt();
    const seconds = await clients.recover();
    told.push(
      `${name}: slowest post ${clients.writes.slowest} s, page ${clients.reads.slowest} s, health ${health.slowest} s, ` +
        `back after ${seconds} s`,
    );
    tell(told.at(-1)!);
  }
  await endAll(servers, tally);
  return tally.outcome(told.join('; '));
}

export const postgresSlow: TorturePromise = {
  name: 'postgres-slow',
  does: 'PostgreSQL does not answer for 20 s: the row every write takes is held, connections are silent or used up',
  needs: ['signals'],
  rounds: 4,
  seconds: 70,
  run,
};
