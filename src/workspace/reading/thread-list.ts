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
}

export interface ThreadList {
  readonly nextBefore: string | null;
  readonly totals: z.infer<typeof FeedTotals>;
  readonly threads: readonly ListedThread[];
}

export async function readThreadList(
  read: Reader,
  query: PageQuery,
): Promise<{
  items: readonly (ThreadHead & Pick<ListedThread, 'lastId' | 'title'>)[];
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
      return { ...thread, lastId: last?.record.id ?? id, title: heads.get(id)?.title ?? '' };
    }),
  );
  return { items: threads, next: shown.length < items.length ? (shown.at(-1)?.lastAt ?? null) : null };
}
