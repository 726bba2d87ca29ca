import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Store } from '#store/port/store.ts';
import { startPostgres } from '../../test/support/postgres/server.ts';
import { createSeeded, databaseUrl } from '../postgres/databases.ts';
import { median } from '../rounds.ts';
import { formatCount, type Bench, type Row } from '../row.ts';
import { prepareWholeSearch } from '../search-index.ts';
import { CLOCK } from '../seed.ts';

const RANGE = { limit: 51, maxCandidates: 20_000 };
const MEASURED = 50;
const GOAL_MS = {
  folder: { frequent: 5, rare: 60, absent: 60 },
  PostgreSQL: { frequent: 60, rare: 60, absent: 60 },
};
const MAX_TURN_MS = 15;

type Frequency = keyof (typeof GOAL_MS)['folder'];

/** Searches below the result cache, which would answer all but the first. */
export const search: Bench = {
  name: 'search',
  run: async (context, { large, largest }) => {
    const options = { folder: context.copyStore(largest), clock: CLOCK, report: () => undefined };
    const folder = await openFolderStore(options);
    await prepareWholeSearch(folder);
    const rows = [...(await measure(folder, largest, 'folder')), await measureLongestTurn(folder)];
    await folder.close();
    const { url, stop } = await startPostgres();
    try {
      const name = await createSeeded(url, large);
      const database = await openPostgresStore({ url: databaseUrl(url, name), report: () => undefined });
      rows.push(...(await measure(database, large, 'PostgreSQL')));
      await database.close();
    } finally {
      await stop();
    }
    return rows;
  },
};

/** Every seeded post has its number and the same sentence. */
async function measure(store: Store, stored: number, engine: keyof typeof GOAL_MS): Promise<Row[]> {
  const words: Record<Frequency, string> = {
    frequent: 'libraries',
    rare: String(stored >> 1),
    absent: 'nowhere',
  };
  const rows: Row[] = [];
  for (const [frequency, word] of Object.entries(words) as [Frequency, string][]) {
    const times: number[] = [];
    for (let time = 0; time < MEASURED; time++) {
      const start = performance.now();
      await searchAll(store, word);
      times.push(performance.now() - start);
    }
    const milliseconds = median(times);
    const goal = GOAL_MS[engine][frequency];
    rows.push({
      path: `${engine}, ${formatCount(stored)} stored: search, ${frequency} word`,
      goal: `<= ${goal} ms`,
      met: milliseconds <= goal,
      measured: `${milliseconds.toFixed(2)} ms`,
    });
  }
  return rows;
}

/** Reads pages until one has results, or nothing is left. */
async function searchAll(store: Store, word: string): Promise<void> {
  for (let before: string | undefined; ; ) {
    const { items, examinedTo } = await store.read.feed({ words: [word] }, { ...RANGE, before });
    if (items.length > 0 || examinedTo === null) return;
    before = examinedTo;
  }
}

/** The longest time for which a search blocks the event loop. */
async function measureLongestTurn(store: Store): Promise<Row> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(20);
  for (let time = 0; time < MEASURED; time++) await searchAll(store, 'nowhere');
  await sleep(20);
  delay.disable();
  const longest = delay.max / 1e6;
  return {
    path: 'the same: longest turn of the event loop',
    goal: `<= ${MAX_TURN_MS} ms`,
    met: longest <= MAX_TURN_MS,
    measured: `${longest.toFixed(1)} ms`,
  };
}
