import type { ThreadHead } from '#store/port/pages.ts';
import type { Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import { toHeads } from '#workspace/work/heads.ts';
import { newest, type PageQuery } from './page.ts';
import type { FeedTotals, Message } from '#workspace/schemas/post.ts';

export interface ListedThread {
  /** The first post of the thread, or the oldest visible one if the first is not visible. */
  readonly first: z.infer<typeof Message>;
  readonly size: number;
  readonly lastAt: string;
  /** Id of the newest visible post. */
  readonly lastId: string;
  readonly title: string;
  /** The prefixes of its first messages, oldest first; empty for a short thread. */
  readonly kinds: readonly (string | null)[];
  /** Its RESULTs, and those of them that are confirmed. */
  readonly results: number;
  readonly confirmed: number;
}

export interface ThreadList {
  readonly nextBefore: string | null;
  readonly totals: z.infer<typeof FeedTotals>;
  readonly threads: readonly ListedThread[];
}

/** Threads whose kinds are read, and at most so many of them. */
const MIN_SIZE = 4;
const MAX_KINDS = 60;

export async function readThreadList(
  read: Reader,
  query: PageQuery,
): Promise<{
  items: readonly (ThreadHead & Pick<ListedThread, 'title' | 'kinds'>)[];
  next: Timestamp | null;
}> {
  const { order, before, limit } = newest(query);
  // One thread more than the page shows whether there is another page.
  const { items } = await read.threads({ order, before, limit: limit + 1 });
  const shown = items.slice(0, limit);
  const long = shown.filter(({ size }) => size >= MIN_SIZE).map(({ post }) => post.record.rootId);
  const [heads, kinds] = await Promise.all([
    toHeads(
      read,
      shown.map(({ post }) => post),
    ),
    long.length === 0 ? undefined : read.threadPrefixes(long, MAX_KINDS),
  ]);
  const threads = shown.map((thread) => {
    const { id, rootId } = thread.post.record;
    return { ...thread, title: heads.get(id)?.title ?? '', kinds: kinds?.get(rootId) ?? [] };
  });
  return { items: threads, next: shown.length < items.length ? (shown.at(-1)?.lastAt ?? null) : null };
}
