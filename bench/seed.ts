import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/store.ts';

const A_WORK = 2000;
const START = Date.UTC(2026, 0, 1);

export const CLOCK = { now: () => START };

const TEXT =
  'What I produced: a list of the opening hours of the town libraries, with the source and the date of each. '.repeat(
    2,
  );

/** Fills a folder. */
export async function seed(folder: string, count: number): Promise<void> {
  const store = await openJsonlStore({ folder, clock: CLOCK, report: () => undefined });
  await fill(store, count);
  await store.close();
}

/** @returns the id of a post, by its place from the oldest on */
export function idOf(n: number): string {
  return `post_019c9a31-6400-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Fills a store with posts of some 210 characters, one second apart; every fifth begins a thread of its own. */
export async function fill(store: Store, count: number): Promise<void> {
  let rootId = '';
  for (let from = 0; from < count; from += A_WORK) {
    await store.write(async (writer) => {
      for (let n = from; n < Math.min(from + A_WORK, count); n++) {
        const id = idOf(n);
        const parentId = n % 5 === 0 ? null : rootId;
        if (parentId === null) rootId = id;
        const createdAt = new Date(START + n * 1000).toISOString().replace('Z', '000Z');
        await writer.restore([
          {
            kind: 'post',
            record: { id, message: `${n} ${TEXT}`, prefix: null, parentId, rootId, answers: [], createdAt },
          },
        ]);
      }
    });
  }
}

/** So far apart that a page is seldom near the one before. */
const STRIDE = 7919;

/** @returns how to find cursors into the middle of so many posts, none of which is given twice */
export function deepCursors(count: number): () => string {
  const first = Math.floor(count / 4);
  let given = 0;
  return () => {
    const place = START + (first + ((given * STRIDE) % first)) * 1000;
    // A millisecond later is another cursor with the same page behind it.
    return new Date(place + Math.floor(given++ / first) + 1).toISOString().replace('Z', '000Z');
  };
}
