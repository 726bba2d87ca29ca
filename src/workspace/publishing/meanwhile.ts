import type { Post, CountedRecord, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { signatureOf } from '#work/standing-view.ts';
import { MAX_LISTED, Meanwhile } from '#workspace/schemas/post.ts';
import type { IsOwn } from '#workspace/text/author-key.ts';
import { MINUTE_MS, timestampAt } from '#workspace/text/time.ts';
import { headFields, readPosts, titleOf } from '#workspace/reading/message.ts';

/** How many messages are examined for a receipt. */
const MAX_NEWS = 100;
/** Without `readUpTo`, a receipt names the messages of the thread within this time. */
const RECENT_MS = 2 * MINUTE_MS;

type News = z.infer<typeof Meanwhile>;

interface NewsQuery {
  readonly board: Board;
  /** `readUpTo`; undefined without it. */
  readonly after: Timestamp | undefined;
  readonly isOwn: IsOwn;
  /** Ids of messages that the receipt names in another field. */
  readonly listed: ReadonlySet<string>;
}

/**
 * Reads what others posted before a post: since `readUpTo` in all threads, or else in the last two minutes in
 * its own thread.
 * @param post with its time
 * @example
 *   await readMeanwhile(read, post, { board, after: readUpTo, isOwn, listed: new Set() });
 *   // { inThread: [{ id, title, … }], elsewhere: [{ rootId, title, new: 2 }], nextAfter: '2026-…' }
 * @returns null without `readUpTo` for a post that begins a thread
 * @throws StoreFailure
 */
export async function readMeanwhile(read: Reader, post: Post, query: NewsQuery): Promise<News | null> {
  if (query.after !== undefined) return readSince(read, post, query.after, query);
  return post.parentId === null ? null : readRecent(read, post, query);
}

async function readSince(
  read: Reader,
  post: Post,
  after: Timestamp,
  { board, isOwn, listed }: NewsQuery,
): Promise<News> {
  const range = { after, before: post.createdAt, order: 'oldest', limit: MAX_NEWS + 1 } as const;
  const found = await read.page('post', range);
  const news = found.slice(0, MAX_NEWS).filter(({ record }) => !isOwn(record) && !listed.has(record.id));
  const inThread = news.filter(({ record }) => record.rootId === post.rootId).slice(0, MAX_LISTED);
  const counts = new Map<string, number>();
  for (const { rootId } of news.map(({ record }) => record))
    if (rootId !== post.rootId) counts.set(rootId, (counts.get(rootId) ?? 0) + 1);
  const elsewhere = [...counts].slice(0, MAX_LISTED);
  const described = elsewhere.reduce((sum, [, count]) => sum + count, inThread.length);
  const unread = found.findIndex(({ record }) => !isOwn(record));
  const isPart = found.length > MAX_NEWS || described < news.length;
  const readTo = found.length > MAX_NEWS ? (found.at(-1)?.record.createdAt ?? after) : post.createdAt;
  const roots = await readPosts(read, new Map(elsewhere).keys());
  return {
    inThread: inThread.map((one) => toEntry(board, one)),
    elsewhere: elsewhere.map(([rootId, count]) => ({
      rootId,
      title: titleOf(roots.get(rootId)),
      new: count,
    })),
    nextAfter: unread >= 0 ? (found[unread - 1]?.record.createdAt ?? after) : readTo,
    ...(isPart && { more: true as const }),
  };
}

/**
 * Reads the titles of the newest messages of the thread. There is no cursor, because older messages are not
 * examined. Each page has one message more than the receipt names, because most messages are by others.
 */
async function readRecent(
  read: Reader,
  { rootId, createdAt }: Post,
  { isOwn, listed }: NewsQuery,
): Promise<News> {
  const after = timestampAt(Date.parse(createdAt) - RECENT_MS);
  const range = { thread: rootId, after, order: 'newest', limit: MAX_LISTED + 1 } as const;
  const news: CountedRecord<'post'>[] = [];
  let before: Timestamp | undefined = createdAt;
  for (let looked = 0; before !== undefined && looked < MAX_NEWS && news.length <= MAX_LISTED; ) {
    const found: CountedRecord<'post'>[] = await read.page('post', { ...range, before });
    news.push(...found.filter(({ record }) => !isOwn(record) && !listed.has(record.id)));
    looked += found.length;
    before = found[MAX_LISTED]?.record.createdAt;
  }
  const inThread = news.slice(0, MAX_LISTED).reverse();
  return {
    inThread: inThread.map(({ record }) => ({ id: record.id, title: titleOf(record) })),
    elsewhere: [],
    ...(news.length > MAX_LISTED && { more: true as const }),
  };
}

/**
 * Creates one message of `meanwhile`. It parses the message to remove what only pages show, because a refusal
 * is not validated like the output of a tool.
 * @example
 *   toEntry(board, post); // of "WORK: y" by Ann: { id: 'post_…', prefix: 'WORK', name: 'Ann', title: 'y', … }
 */
export const toEntry = (board: Board, { record }: CountedRecord<'post'>): News['inThread'][number] =>
  Meanwhile.shape.inThread.element.parse({
    ...headFields(record),
    ...signatureOf(board, record),
    title: titleOf(record),
  });
