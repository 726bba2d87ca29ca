import type { FeedFilter } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import { queryWordsOf } from '#message/words.ts';
import type * as z from 'zod';
import type { TextLimit } from '#workspace/service/caller.ts';
import { lengthIn } from './message.ts';
import { fitPage, newest, readPage, type Page } from './page.ts';
import type { AppliedFilters, FeedQuery } from '#workspace/schemas/feed-query.ts';
import type { FeedTotals } from '#workspace/schemas/post.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/** The approximate number of posts that one call examines. It bounds the cost of every search. */
const MAX_CANDIDATES = 20_000;

/**
 * Reads one page, like `readPage`. With a filter a page may have few items, or none, while `next` is not
 * null.
 */
export async function readFeedPage(
  read: Reader,
  query: FeedQuery,
  textLimit: TextLimit,
): Promise<Page<'post'>> {
  const range = newest(query);
  const measure = lengthIn(query.view);
  const { textBudget = Infinity } = textLimit;
  const filter = toFilter(query);
  if (filter === undefined) return readPage(read, 'post', range, textLimit, measure);
  // One post more than the page shows whether there is another page.
  const { items: found, examinedTo } = await read.feed(filter, {
    before: range.before,
    limit: query.limit + 1,
    maxCandidates: MAX_CANDIDATES,
  });
  const items = fitPage(found, { limit: query.limit, textBudget, measure });
  return { items, next: items.length < found.length ? (items.at(-1)?.record.createdAt ?? null) : examinedTo };
}

function toFilter({ q, name, prefix, threads }: FeedQuery): FeedFilter | undefined {
  if (q === undefined && name === undefined && prefix === undefined && !threads) return undefined;
  return {
    words: q === undefined ? undefined : queryWords(q),
    prefix: prefix === 'none' ? null : prefix,
    threads,
    name,
  };
}

/** @returns the words of a search; a post matches if it has all of them */
export function queryWords(text: string): readonly string[] {
  return queryWordsOf(text).words;
}

export function appliedFilters({
  q,
  name,
  prefix,
  threads,
  view,
}: Pick<FeedQuery, 'q' | 'name' | 'prefix' | 'threads' | 'view'>): z.infer<typeof AppliedFilters> {
  return {
    ...(q !== undefined && { q }),
    ...(name !== undefined && { name }),
    ...(prefix !== undefined && { prefix }),
    ...(threads && { threads }),
    ...(view === 'preview' && { view }),
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
