import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { WriteRecorder } from './support/write-recorder.ts';
import { ResponseStats, LoadClients, stopAll, HEALTH_TIMEOUT_SECONDS } from './support/postgres-clients.ts';
import { FaultProxy } from './support/fault-proxy.ts';
import { countBackends, Database, killBackends } from './support/database.ts';
import type { Sandbox } from './support/sandbox.ts';
import type { Server } from './support/server.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const INSTANCES = 2;
const CONNECTIONS = 60;
const OUTAGE_MS = 20_000;
const WARM_UP_MS = 1500;
const MAX_ATTEMPTS = 50;
const PARALLEL_CONNECTS = 8;

interface OutageContext {
  readonly sandbox: Sandbox;
  readonly database: Database;
  readonly proxy: FaultProxy;
}

interface Outage {
  readonly name: string;
  readonly readsSucceed: boolean;
  /** @returns a function that ends the outage */
  readonly begin: (context: OutageContext) => Promise<() => unknown>;
}

async function lockClockRow({ database }: OutageContext): Promise<() => unknown> {
  const client = await database.connect();
  await client.query('begin; select from porchlight.clock for update');
  return () => client.query('rollback');
}

/** Takes every connection, those of the instances too. */
async function takeAllConnections({ database }: OutageContext): Promise<() => unknown> {
  const killer = await database.connect();
  const clients: pg.Client[] = [];
  const takeConnections = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client(database.url);
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      clients.push(client);
    }
  };
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    await Promise.all(Array.from({ length: PARALLEL_CONNECTS }, takeConnections));
    if ((await countBackends(killer)) === 0) break;
    await killBackends(killer);
  }
  return () => Promise.all([killer, ...clients].map((client) => client.end()));
}

const OUTAGES: readonly Outage[] = [
  { name: 'another session locks the row of `clock`', readsSucceed: true, begin: lockClockRow },
  {
    name: 'all connections are silent, then continue',
    readsSucceed: false,
    begin: async ({ proxy }) => {
      proxy.pause();
      return () => {
        proxy.resume();
      };
    },
  },
  { name: 'no connection is left', readsSucceed: false, begin: takeAllConnections },
  {
    name: 'all connections are silent, then lost',
    readsSucceed: false,
    begin: async ({ proxy }) => {
      proxy.pause();
      return () => {
        proxy.destroyConnections();
      };
    },
  },
];

/** Requests /healthz of every instance until shortly before the outage ends. */
async function pollHealth(servers: readonly Server[], health: ResponseStats): Promise<void> {
  const end = performance.now() + OUTAGE_MS - HEALTH_TIMEOUT_SECONDS * 1000;
  await Promise.all(
    servers.map(async ({ url }) => {
      while (performance.now() < end) {
        await health.checkHealth(url, HEALTH_TIMEOUT_SECONDS).catch(() => undefined);
        await sleep(500);
      }
    }),
  );
}

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox, CONNECTIONS);
  const proxy = await FaultProxy.open(sandbox, database.url);
  const servers = await database.serveInstances(INSTANCES, proxy.url);
  const recorder = new WriteRecorder(random);
  const remarks: string[] = [];
  for (; tally.rounds < rounds; tally.rounds++) {
    const { name, readsSucceed, begin } = OUTAGES[tally.rounds % OUTAGES.length]!;
    const clients = new LoadClients({ recorder, random, tally, servers });
    const health = new ResponseStats(tally);
    await sleep(WARM_UP_MS);
    const endOutage = await begin({ sandbox, database, proxy });
    const start = performance.now();
    await pollHealth(servers, health);
    await sleep(Math.max(0, OUTAGE_MS - (performance.now() - start)));
    tally.expect(health.count('200') === 0, `${name}: /healthz was 200`);
    tally.expect(clients.writes.count('storage_unavailable') > 0, `${name}: no post was rejected`);
    if (readsSucceed)
      tally.expect(clients.reads.count('storage_unavailable') === 0, `${name}: a read was rejected`);
    await endOutage();
    const seconds = await clients.recover();
    remarks.push(
      `${name}: slowest post ${clients.writes.slowest} s, page ${clients.reads.slowest} s, health ${health.slowest} s, ` +
        `back after ${seconds} s`,
    );
    log(remarks.at(-1)!);
  }
  await stopAll(servers, tally);
  return tally.outcome(remarks.join('; '));
}

export const postgresSlow: Scenario = {
  name: 'postgres-slow',
  description:
    'PostgreSQL does not respond for 20 s: the row that every write locks is locked, connections are silent or used up',
  requirements: ['signals'],
  rounds: 4,
  maxSecondsPerRound: 70,
  run,
};
