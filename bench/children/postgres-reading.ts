import assert from 'node:assert/strict';
import pg from 'pg';
import { READERS } from '#store/postgres/connection/connect.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { readerOf } from '#store/postgres/read/reader.ts';
import type { Reader } from '#store/store.ts';
import { IN_SCHEMA } from '../postgres/databases.ts';
import type { Question, ReadAsk } from '../postgres/readers.ts';
import { median } from '../rounds.ts';
import { idOf } from '../seed.ts';

const [who, url, question, size] = process.argv.slice(2) as ['store' | 'bare', string, Question, string];
const stored = Number(size);

/** The database plans the first five of a connection one by one. */
const WARM_UP = 10;

/** So far apart that the next is seldom on the page of the one before. */
const STRIDE = 7919;
let asked = 0;

const nextId = (): string => idOf((asked++ * STRIDE) % stored);

interface Opened {
  readonly read: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const ask = (reader: Reader): Promise<unknown> =>
  question === 'page' ? reader.page('post', { order: 'newest', limit: 50 }) : reader.find('post', nextId());

async function throughStore(): Promise<Opened> {
  const store = await openPostgresStore({ url, report: () => undefined });
  return { read: () => ask(store.read), close: () => store.close() };
}

/** The driver alone, with the statement that the store sends. */
async function bare(): Promise<Opened> {
  const pool = new pg.Pool({ connectionString: url, max: READERS, ...IN_SCHEMA });
  let sent: { name: string; text: string; values: unknown[] } | undefined;
  await ask(
    readerOf(
      async (name, text, values = []) => {
        sent = { name, text, values };
        return [];
      },
      pool,
      () => undefined,
    ),
  );
  const { name, text, values } = sent!;
  const read = async (): Promise<unknown> => {
    const { rows } = await pool.query({ name, text, values: question === 'page' ? values : [nextId()] });
    return question === 'page' ? rows : rows[0];
  };
  return { read, close: () => pool.end() };
}

async function together({ readers, each }: ReadAsk, read: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for (let n = 0; n < each; n++) {
        const begun = performance.now();
        await read();
        all.push(performance.now() - begun);
      }
    }),
  );
  return all;
}

/**
 * Over new connections each time: on a machine of few cores a connection is half as fast again as another, as long as it
 * lasts, by where the system put its two ends.
 */
async function answer({ readers, each }: ReadAsk): Promise<number[]> {
  const { read, close } = await (who === 'store' ? throughStore() : bare());
  const first = await read();
  if (question === 'page') assert.equal((first as unknown[]).length, 50);
  else assert.notEqual(first, undefined);
  // Side by side, so that every connection is there and has its turn.
  for (let n = 0; n < WARM_UP; n++) await Promise.all(Array.from({ length: readers }, read));
  const start = performance.now();
  const all = await together({ readers, each }, read);
  const took = performance.now() - start;
  await close();
  return [readers === 1 ? median(all) : took / all.length];
}

process.on('message', (asking: ReadAsk) => {
  void answer(asking).then((times) => process.send!(times));
});
