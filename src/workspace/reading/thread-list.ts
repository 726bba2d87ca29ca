import type { PostHead, ThreadHead } from '#store/port/pages.ts';
import type { Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Signature } from '#workspace/work/authors.ts';
import type { Standing } from '#workspace/work/work-model.ts';
import { toHeads } from '#workspace/work/heads.ts';
import type { StandingCounts } from '#workspace/work/reviews.ts';
import { newest, type PageQuery } from './page.ts';
import type { FeedTotals, Message } from '#workspace/schemas/post.ts';

export interface ListedThread {
  /** The first post of the thread, or the oldest visible one if the first is not visible. */
  readonly first: z.infer<typeof Message>;
  readonly size: number;
  readonly title: string;
  /** The newest visible post. */
  readonly last: Pick<PostHead, 'id' | 'name' | 'createdAt'> &
    Signature & {
      /** In its thread; undefined if it has just been erased. */
      readonly number: number | undefined;
    };
  /** Its newest messages, oldest first; empty for a short thread. */
  readonly tail: readonly TailMessage[];
  /** The standings of its RESULTs. */
  readonly standings: StandingCounts;
}

/** A message in the strip of its thread. */
export interface TailMessage {
  readonly prefix: string | null;
  /** Undefined unless it is a RESULT. */
  readonly standing?: Standing | undefined;
}

export interface ThreadList {
  readonly nextBefore: string | null;
  readonly totals: z.infer<typeof FeedTotals>;
  readonly threads: readonly ListedThread[];
}

/** A thread with fewer messages has no tail. */
const MIN_SIZE = 4;
/** Messages of a tail. */
const MAX_TAIL = 60;

type ThreadAndTail = ThreadHead & {
  readonly title: string;
  readonly newest: PostHead;
  /** The newest posts, oldest first; empty for a short thread. */
  readonly tail: readonly PostHead[];
};

export async function readThreadList(
  read: Reader,
  query: PageQuery,
): Promise<{ items: readonly ThreadAndTail[]; next: Timestamp | null }> {
  const { order, before, limit } = newest(query);
  // One thread more than the page shows whether there is another page.
  const { items } = await read.threads({ order, before, limit: limit + 1 });
  const shown = items.slice(0, limit);
  const [heads, tails] = await Promise.all([
    toHeads(
      read,
      shown.map(({ post }) => post),
    ),
    read.threadTails(
      shown.map(({ post }) => post.record.rootId),
      MAX_TAIL,
    ),
  ]);
  const threads = shown.map((thread) => {
    const { id, rootId, prefix, name = null, mark = null, createdAt } = thread.post.record;
    const { posts = [] } = tails.get(rootId) ?? {};
    return {
      ...thread,
      title: heads.get(id)?.title ?? '',
      newest: posts.at(-1) ?? { id, prefix, name, mark, createdAt },
      tail: thread.size < MIN_SIZE ? [] : posts,
    };
  });
  return { items: threads, next: shown.length < items.length ? (shown.at(-1)?.lastAt ?? null) : null };
}
