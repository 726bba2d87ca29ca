import type { ThreadHead } from '#store/port/pages.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
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
/** Posts of other threads that name the first one are looked at too. */
const MAX_CANDIDATES = 200;

async function readKinds(read: Reader, first: Post): Promise<readonly (string | null)[]> {
  const { id, rootId, prefix } = first;
  const range = { limit: MAX_CANDIDATES, maxCandidates: MAX_CANDIDATES };
  const { items } = await read.newsOfThreads({ posts: [rootId] }, range);
  const others = items.filter((post) => post.rootId === rootId && post.id !== id);
  return [prefix, ...others.map((post) => post.prefix)].slice(0, MAX_KINDS);
}

export async function readThreadList(
  read: Reader,
  query: PageQuery,
): Promise<{
  items: readonly (ThreadHead & Pick<ListedThread, 'lastId' | 'title' | 'kinds'>)[];
  next: Timestamp | null;
}> {
  const { order, before, limit } = newest(query);
  // One thread more than the page shows whether there is another page.
  const { items } = await read.threads({ order, before, limit: limit + 1 });
  const shown = items.slice(0, limit);
  const heads = await toHeads(
    read,
    shown.map(({ post }) => post),
  );
  const threads = await Promise.all(
    shown.map(async (thread) => {
      const { id, rootId } = thread.post.record;
      const [last] =
        thread.size === 1 ? [] : await read.page('post', { thread: rootId, order: 'newest', limit: 1 });
      const kinds = thread.size < MIN_SIZE ? [] : await readKinds(read, thread.post.record);
      return { ...thread, lastId: last?.record.id ?? id, title: heads.get(id)?.title ?? '', kinds };
    }),
  );
  return { items: threads, next: shown.length < items.length ? (shown.at(-1)?.lastAt ?? null) : null };
}
