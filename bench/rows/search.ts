import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { FeedFilter, Store } from '#store/store.ts';
import { startPostgres } from '../../test/support/postgres/server.ts';
import { createSeeded, databaseUrl } from '../postgres/databases.ts';
import type { Bench, Row } from '../row.ts';
import { CLOCK, idOf } from '../seed.ts';

const RANGE = { limit: 51, maxCandidates: 20_000 };
const MEASURED = 50;
const GOAL_MS = { jsonl: 5, postgres: 60 };
const POSTGRES_SIZE = 100_000;

/** Kinds of queries by how many posts match; every seeded post has its number and the same sentence. */
const queriesOf = (count: number): Record<string, FeedFilter> => ({
  'a common word': { words: ['libraries'] },
  'two common words': { words: ['libraries', 'hours'] },
  'a rare word': { words: [String(count >> 1)] },
  'the id of an old thread': { words: [idOf(0)] },
  'a common and a rare word': { words: ['libraries', '7'] },
  'a word that occurs nowhere': { words: ['nowhere'] },
  'first posts': { threads: true },
  'a prefix that occurs nowhere': { prefix: 'CHANGE' },
});

/** Searches below the result cache, which would answer all but the first. */
export const search: Bench = {
  name: 'search',
  run: async (context, { sizes }) => {
    const rows: Row[] = [];
    for (const size of sizes) {
      const options = { folder: context.copyStore(size), clock: CLOCK, report: () => undefined };
      const store = await openJsonlStore(options);
      rows.push(...(await measure(store, size, 'folder', GOAL_MS.jsonl)));
      await store.close();
    }
    const { url, stop } = await startPostgres();
    try {
      const name = await createSeeded(url, POSTGRES_SIZE);
      const store = await openPostgresStore({ url: databaseUrl(url, name), report: () => undefined });
      rows.push(...(await measure(store, POSTGRES_SIZE, 'PostgreSQL', GOAL_MS.postgres)));
      await store.close();
    } finally {
      await stop();
    }
    return rows;
  },
};

async function measure(store: Store, size: number, engine: string, goalMs: number): Promise<Row[]> {
  const rows = [await measureBuilding(store, size, engine)];
  for (const [name, filter] of Object.entries(queriesOf(size))) {
    const times: number[] = [];
    for (let time = 0; time < MEASURED; time++) {
      const start = performance.now();
      await store.read.feed(filter, RANGE);
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[MEASURED >> 1] ?? 0;
    rows.push({
      path: `${engine}, ${size.toLocaleString('en')} stored: ${name}`,
      goal: `<= ${goalMs} ms`,
      met: median <= goalMs,
      measured: `${median.toFixed(2)} ms`,
    });
  }
  return rows;
}

/** Searches until nothing is left to build. In a process that collects garbage on demand the memory is measured too. */
async function measureBuilding(store: Store, size: number, engine: string): Promise<Row> {
  const before = bytesInUse();
  const start = performance.now();
  let from: string | undefined;
  do {
    const { examinedTo } = await store.read.feed({ words: ['nowhere'] }, { ...RANGE, before: from });
    from = examinedTo ?? undefined;
  } while (from !== undefined);
  const microseconds = ((performance.now() - start) * 1000) / size;
  const bytes = (bytesInUse() - before) / size;
  return {
    path: `${engine}, ${size.toLocaleString('en')} stored: the first search of everything, for each post`,
    goal: engine === 'folder' ? '<= 70 bytes' : '',
    ...(engine === 'folder' && { met: bytes <= 70 }),
    measured: `${microseconds.toFixed(1)} us, ${bytes.toFixed(0)} bytes`,
  };
}

function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
