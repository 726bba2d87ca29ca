import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { POOL_SIZE, TIMEOUTS } from '#store/postgres/connection/connect.ts';
import { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { createReader } from '#store/postgres/read/reader.ts';
import { ClientTags } from '#store/postgres/schema/client-tags.ts';
import type { Reader } from '#store/port/store.ts';
import { CLOCK, DATABASE, LARGE, report } from '../data.ts';
import { load, loadInTurn, POST, type Sample } from '../load.ts';
import { longest, median, medians, timed } from '../measure.ts';
import { type RunningServer } from '../programs.ts';
import { formatNumber, formatRate, type Bench, type BenchContext } from '../rows.ts';
import { medianSearch, searchWords } from './search.ts';

/** Connections are of two speeds, by the cores of their two processes, so each turn has new ones. */
const TURNS = 10;
const READS_PER_TURN = 50;

/** PostgreSQL plans the first five executions of a prepared statement one by one. */
const WARM_UP = 10;

/** A store in PostgreSQL with synchronous commits. */
export const database: Bench = async (context) => {
  await newestPage(context);
  await postsOfInstances(context);
  const url = await context.data.copyDatabase(DATABASE);
  const store = await openPostgresStore({ url, clock: CLOCK, report });
  const times: number[] = [];
  for (const word of Object.values(searchWords(LARGE))) times.push(await medianSearch(store, word));
  await store.close();
  context.row('databaseSearch', longest(times), times.map((time) => `${formatNumber(time)} ms`).join(', '));
};

/** One reader, below the result cache. */
async function newestPage({ data, rounds, row }: BenchContext): Promise<void> {
  const url = await data.copyDatabase(LARGE);
  const found = await medians(rounds * TURNS, {
    store: async () => {
      const store = await openPostgresStore({ url, report });
      const time = await medianRead(() => readPage(store.read));
      await store.close();
      return time;
    },
    bare: async () => {
      const pool = new pg.Pool({
        connectionString: url,
        max: POOL_SIZE,
        options: '-c search_path=porchlight',
      });
      const statement = await statementOf(pool);
      const time = await medianRead(async () => (await pool.query(statement)).rows);
      await pool.end();
      return time;
    },
  });
  const microseconds = (ms: number): string => `${formatNumber(ms * 1000)} us`;
  row(
    'databaseNewest',
    found.bare / found.store,
    `${microseconds(found.store)}, ${microseconds(found.bare)}`,
  );
}

const readPage = (read: Reader): Promise<unknown[]> => read.page('post', { order: 'newest', limit: 50 });

async function medianRead(read: () => Promise<unknown[]>): Promise<number> {
  for (let n = 0; n < WARM_UP; n++) assert.equal((await read()).length, 50);
  const times: number[] = [];
  for (let n = 0; n < READS_PER_TURN; n++) times.push(await timed(read));
  return median(times);
}

/** @returns the statement that the store sends for the page */
async function statementOf(pool: pg.Pool): Promise<pg.QueryConfig> {
  let statement: pg.QueryConfig | undefined;
  await readPage(
    createReader({
      runQuery: async (name, text, values = []) => {
        statement = { name, text, values };
        return [];
      },
      pool,
      clock: new DatabaseClock(Date.now(), () => undefined),
      tags: new ClientTags([randomBytes(32)]),
      timeouts: TIMEOUTS,
    }),
  );
  return statement!;
}

/** Posts to one instance and to two, 50 connections in all, and over one connection. */
async function postsOfInstances({ data, programs, rounds, seconds, row }: BenchContext): Promise<void> {
  const program = programs.porchlight(['serve'], { DATABASE_URL: await data.copyDatabase(LARGE) });
  const [first, second] = [await programs.serve(program), await programs.serve(program)];
  const postTo = (server: RunningServer, connections: number): Promise<Sample> =>
    load(server, POST, seconds, connections);
  const found = await loadInTurn(rounds, {
    oneConnection: () => postTo(first, 1),
    oneInstance: () => postTo(first, 50),
    twoInstances: async () => {
      const [one, other] = await Promise.all([postTo(first, 25), postTo(second, 25)]);
      return { ...one, perSecond: one.perSecond + other.perSecond };
    },
  });
  await programs.stopAll();
  const [one, many, two] = [found.oneConnection, found.oneInstance, found.twoInstances].map(
    ({ perSecond }) => perSecond,
  ) as [number, number, number];
  row('databasePosts', many / one, `${formatRate(many)}, ${formatRate(one)}`);
  row('databaseInstances', two / many, `${formatRate(two)}, ${formatRate(many)}`);
}
