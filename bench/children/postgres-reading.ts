import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import { TIMEOUTS } from '#store/postgres/connection/timeouts.ts';
import { ClientTags } from '#store/postgres/schema/client-tags.ts';
import { POOL_SIZE } from '#store/postgres/connection/connect.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { createReader } from '#store/postgres/read/reader.ts';
import type { Reader } from '#store/port/store.ts';
import { IN_SCHEMA } from '../postgres/databases.ts';
import type { Query, ReadBatch } from '../postgres/readers.ts';
import { median } from '../rounds.ts';
import { postId } from '../seed.ts';

const [target, url, query, size] = process.argv.slice(2) as ['store' | 'bare', string, Query, string];
const stored = Number(size);

/** PostgreSQL plans the first five executions of a prepared statement one by one. */
const WARM_UP = 10;

/** Consecutive ids are so far apart that they are seldom on one database page. */
const STRIDE = 7919;
let reads = 0;

const nextId = (): string => postId((reads++ * STRIDE) % stored);

interface OpenedReader {
  readonly read: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const readOnce = (reader: Reader): Promise<unknown> =>
  query === 'page' ? reader.page('post', { order: 'newest', limit: 50 }) : reader.find('post', nextId());

async function openStore(): Promise<OpenedReader> {
  const store = await openPostgresStore({ url, report: () => undefined });
  return { read: () => readOnce(store.read), close: () => store.close() };
}

/** Reads by the driver alone, with the statement that the store sends. */
async function openBare(): Promise<OpenedReader> {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE, ...IN_SCHEMA });
  let statement: { name: string; text: string; values: unknown[] } | undefined;
  await readOnce(
    createReader({
      runQuery: async (name, text, values = []) => {
        statement = { name, text, values };
        return [];
      },
      pool,
      clock: await DatabaseClock.read(pool, () => undefined),
      tags: new ClientTags([randomBytes(32)]),
      timeouts: TIMEOUTS,
    }),
  );
  const { name, text, values } = statement!;
  const read = async (): Promise<unknown> => {
    const { rows } = await pool.query({ name, text, values: query === 'page' ? values : [nextId()] });
    return query === 'page' ? rows : rows[0];
  };
  return { read, close: () => pool.end() };
}

async function measureAll({ readers, each }: ReadBatch, read: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for (let n = 0; n < each; n++) {
        const start = performance.now();
        await read();
        times.push(performance.now() - start);
      }
    }),
  );
  return times;
}

/**
 * Uses new connections for each batch: on a machine of few cores some connections are 1.5 times as fast as
 * others, depending on the cores of their two processes.
 */
async function measure({ readers, each }: ReadBatch): Promise<number[]> {
  const { read, close } = await (target === 'store' ? openStore() : openBare());
  const first = await read();
  if (query === 'page') assert.equal((first as unknown[]).length, 50);
  else assert.notEqual(first, undefined);
  // Concurrent, so that the pool opens every connection.
  for (let n = 0; n < WARM_UP; n++) await Promise.all(Array.from({ length: readers }, read));
  const start = performance.now();
  const times = await measureAll({ readers, each }, read);
  const elapsed = performance.now() - start;
  await close();
  return [readers === 1 ? median(times) : elapsed / times.length];
}

process.on('message', (batch: ReadBatch) => {
  void measure(batch).then((times) => process.send!(times));
});
