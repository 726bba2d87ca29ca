import type { FeedFilter } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import { queryWordsOf } from '#message/words.ts';
import type * as z from 'zod';
import type { TextLimit } from '#workspace/service/caller.ts';
import { lengthIn } from './message.ts';
import { definedOf, fitPage, MAX_CANDIDATES, newest, readPage, type Page } from './page.ts';
import type { FeedQuery } from '#workspace/schemas/feed-query.ts';
import type { FeedTotals } from '#workspace/schemas/post.ts';
import type { ThreadQuery } from '#workspace/schemas/thread.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { dayAfter, floorToMicrosecond } from '#workspace/text/time.ts';
import { listPosts, showPosts, type ReadContext } from './views.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/** Reads one page of the matching visible posts and replies, newest first, with the totals of the feed. */
export async function readFeed(context: ReadContext, query: FeedQuery, textLimit: TextLimit) {
  const { items, next, totals } = await readWithTotals(context, query, textLimit);
  const { limit: _limit, before: _before, view, ...filters } = query;
  const messages = await showPosts(context, items, view);
  const applied = definedOf({ ...filters, view: view === 'preview' ? view : undefined });
  return { notice: NOTICE, nextBefore: next, applied, totals, messages };
}

/** Reads the same page in the form that web pages and feeds need. */
export async function listFeed(context: ReadContext, query: FeedQuery, textLimit: TextLimit) {
  const { items, next, totals } = await readWithTotals(context, query, textLimit);
  return { ...(await listPosts(context, items)), nextBefore: next, totals };
}

async function readWithTotals({ store: { read } }: ReadContext, query: FeedQuery, textLimit: TextLimit) {
  const [page, totals] = await Promise.all([readFeedPage(read, query, textLimit), readFeedTotals(read)]);
  return { ...page, totals };
}

/** Lists one page of the posts of a day, oldest first. @param query with `day` as `YYYY-MM-DD` */
export async function listDay(
  context: ReadContext,
  { day, after, limit }: Pick<ThreadQuery, 'after' | 'limit'> & { readonly day: string },
  textLimit: TextLimit,
) {
  const cursor = floorToMicrosecond(after) ?? day;
  const from = cursor > day ? cursor : day;
  const range = { order: 'oldest', after: from, before: dayAfter(day), limit } as const;
  const { items, next } = await readPage(context.store.read, 'post', range, textLimit);
  return { ...(await listPosts(context, items)), nextAfter: next };
}

/** Reads one page, like `readPage`. With a filter, a page may have few or no items before the last page. */
export async function readFeedPage(
  read: Reader,
  query: FeedQuery,
  textLimit: TextLimit,
): Promise<Page<'post'>> {
  const range = newest(query);
  const measure = lengthIn(query.view);
  const filter = toFilter(query);
  if (filter === undefined) return readPage(read, 'post', range, textLimit, measure);
  // One extra post shows whether there is another page.
  const { items: found, examinedTo } = await read.feed(filter, {
    before: range.before,
    limit: query.limit + 1,
    maxCandidates: MAX_CANDIDATES,
  });
  return fitPage(found, { ...textLimit, limit: query.limit, measure }, examinedTo);
}

function toFilter({ q, name, prefix, threads }: FeedQuery): FeedFilter | undefined {
  if (q === undefined && name === undefined && prefix === undefined && !threads) return undefined;
  return {
    words: q === undefined ? undefined : queryWordsOf(q).words,
    prefix: prefix === 'none' ? null : prefix,
    threads,
    name,
  };
}

/** Reads the counts of visible posts, with an entry for every prefix. */
export async function readFeedTotals(read: Reader): Promise<z.infer<typeof FeedTotals>> {
  const { posts, threads, byPrefix } = await read.totals();
  const count = (name: string): number => byPrefix[name] ?? 0;
  const counts = Object.fromEntries([...PREFIXES, 'none'].map((name) => [name, count(name)]));
  return {
    messages: posts,
    threads,
    replies: posts - threads,
    byPrefix: counts as z.infer<typeof FeedTotals>['byPrefix'],
  };
}
