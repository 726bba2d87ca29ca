import { takesUp, type FeedFilter, type Reader, type RecordView } from '#store/store.ts';
import { queryWordsOf } from '#store/words.ts';
import type * as z from 'zod';
import type { Caller } from './caller.ts';
import { fitPage, newest, pageOf, type Page, type PageQuery } from './page.ts';
import type { AppliedFilters } from './schemas/feed-query.ts';
import type { MessagePreview } from './schemas/post.ts';
import { excerptOf } from './text/excerpt.ts';
import type { Prefix } from './text/prefix.ts';
import { codePointLength } from './text/text-rules.ts';

/** About how many posts one call looks at: what a search costs does not depend on what it looks for. */
const MAX_CANDIDATES = 20_000;

/** Validated arguments of `read_feed`. */
export interface FeedQuery extends PageQuery {
  readonly q?: string | undefined;
  readonly prefix?: Prefix | 'none' | undefined;
  readonly threads: boolean;
  readonly view: 'full' | 'preview';
}

/**
 * Reads one page as `pageOf` does. With a filter it may end early, and `next` is then not null though there are few items
 * or none.
 */
export async function feedPageOf(read: Reader, query: FeedQuery, caller: Caller): Promise<Page<'post'>> {
  const range = newest(query);
  const lengthOf = lengthIn(query.view);
  const { textBudget = Infinity } = caller;
  const filter = filterOf(query);
  if (filter === undefined) return pageOf(read, 'post', range, caller, lengthOf);
  // One post more than the page shows whether there is another page.
  const { items: found, examinedTo } = await read.feed(filter, {
    before: range.before,
    limit: query.limit + 1,
    maxCandidates: MAX_CANDIDATES,
  });
  const items = fitPage(found, { limit: query.limit, textBudget, lengthOf });
  return { items, next: items.length < found.length ? (items.at(-1)?.record.createdAt ?? null) : examinedTo };
}

/** @returns undefined if every post matches */
function filterOf({ q, prefix, threads }: FeedQuery): FeedFilter | undefined {
  if (q === undefined && prefix === undefined && !threads) return undefined;
  return {
    words: q === undefined ? undefined : queryWordsOf(q).words,
    prefix: prefix === 'none' ? null : prefix,
    threads,
  };
}

export function appliedFilters({
  q,
  prefix,
  threads,
  view,
}: Pick<FeedQuery, 'q' | 'prefix' | 'threads' | 'view'>): z.infer<typeof AppliedFilters> {
  return {
    ...(q !== undefined && { q }),
    ...(prefix !== undefined && { prefix }),
    ...(threads && { threads }),
    ...(view === 'preview' && { view }),
  };
}

export function toPreview({
  record,
  children,
  hasLaterResult,
}: RecordView<'post'>): z.infer<typeof MessagePreview> {
  return {
    id: record.id,
    name: record.name ?? null,
    prefix: record.prefix as Prefix | null,
    excerpt: excerptOf(record.message),
    rootId: record.rootId,
    takesUp: takesUp(record),
    createdAt: record.createdAt,
    replyCount: children,
    ...(hasLaterResult === true && { hasLaterResult }),
  };
}

const messageLength = ({ record }: RecordView<'post'>): number => codePointLength(record.message);

const excerptLength = ({ record }: RecordView<'post'>): number => codePointLength(excerptOf(record.message));

/** @returns the code points that a page shows of a post */
export function lengthIn(view: 'full' | 'preview' | undefined): (post: RecordView<'post'>) => number {
  return view === 'preview' ? excerptLength : messageLength;
}
