import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { CLOCK, LARGEST, prepareWholeSearch, report } from '../data.ts';
import { median, timed } from '../measure.ts';
import type { Bench } from '../rows.ts';

const RANGE = { limit: 51, maxCandidates: 20_000 };
const SEARCHES = 50;

/** Every post has its number and the same sentence. */
export const searchWords = (stored: number): { frequent: string; rare: string; absent: string } => ({
  frequent: 'libraries',
  rare: String(stored >> 1),
  absent: 'nowhere',
});

/** Searches of a large folder, below the result cache, which would answer all but the first. */
export const search: Bench = async ({ data, row }) => {
  const folder = await data.copyFolder(LARGEST);
  const store = await openFolderStore({ folder, clock: CLOCK, report });
  await prepareWholeSearch(store);
  const words = searchWords(LARGEST);
  row('searchFrequent', await medianSearch(store, words.frequent));
  row('searchRare', await medianSearch(store, words.rare));
  row('searchAbsent', await medianSearch(store, words.absent));
  row('searchTurn', await longestTurn(store, words.absent));
  await store.close();
};

/** @returns milliseconds of a search for the word */
export async function medianSearch(store: Store, word: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < SEARCHES; n++) times.push(await timed(() => searchAll(store, word)));
  return median(times);
}

/** Reads pages until one has results, or nothing is left. */
async function searchAll(store: Store, word: string): Promise<void> {
  for (let before: string | undefined; ; ) {
    const { items, examinedTo } = await store.read.feed({ words: [word] }, { ...RANGE, before });
    if (items.length > 0 || examinedTo === null) return;
    before = examinedTo;
  }
}

/** @returns the milliseconds for which searches block the event loop at most */
async function longestTurn(store: Store, word: string): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(20);
  await medianSearch(store, word);
  await sleep(20);
  delay.disable();
  return delay.max / 1e6;
}
