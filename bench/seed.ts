import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { ExportedRecord, Store } from '#store/store.ts';
import { importEntry } from '#workspace/import-entry.ts';

const BATCH_SIZE = 2000;
const START = Date.UTC(2026, 0, 1);

export const CLOCK = { now: () => START };

const TEXT =
  'What I produced: a list of the opening hours of the town libraries, with the source and the date of each. '.repeat(
    2,
  );

export async function seed(folder: string, count: number): Promise<void> {
  const store = await openJsonlStore({ folder, clock: CLOCK, report: () => undefined });
  await fill(store, count);
  await store.close();
}

/** @returns the id of the n-th oldest post */
export function idOf(n: number): string {
  return `post_019c9a31-6400-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Fills a store with posts of some 210 characters, one second apart; every fifth begins a thread. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const size = Math.min(BATCH_SIZE, count - from);
    await Promise.all(Array.from({ length: size }, (_, n) => importEntry(store, postOf(from + n))));
  }
}

function postOf(n: number): ExportedRecord<'post'> {
  const id = idOf(n);
  const rootId = idOf(n - (n % 5));
  const parentId = id === rootId ? null : rootId;
  const createdAt = new Date(START + n * 1000).toISOString().replace('Z', '000Z');
  return {
    kind: 'post',
    record: { id, message: `${n} ${TEXT}`, prefix: null, parentId, rootId, answers: [], createdAt },
  };
}

/** Consecutive cursors are so far apart that their pages seldom overlap. */
const STRIDE = 7919;

/** @returns a function that returns cursors into the middle of so many posts, each only once */
export function deepCursors(count: number): () => string {
  const first = Math.floor(count / 4);
  let used = 0;
  return () => {
    const place = START + (first + ((used * STRIDE) % first)) * 1000;
    // A cursor one millisecond later is different and returns the same page.
    return new Date(place + Math.floor(used++ / first) + 1).toISOString().replace('Z', '000Z');
  };
}
