import {
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsResult,
  type Reader,
  type RecordView,
  type Timestamp,
} from '#store/store.ts';
import { queryWordsOf } from '#store/words.ts';
import type { Caller } from './caller.ts';
import { lengthIn } from './feed-page.ts';
import { fitPage } from './page.ts';
import type { Prefix } from './text/prefix.ts';
import { parsePostIdTime } from './text/id-time.ts';
import { floorToMicrosecond, LAST_TIMESTAMP, timestampAt } from './text/rfc3339.ts';

/** About the number of posts that one call examines. */
const MAX_CANDIDATES = 20_000;

/** Validated arguments of `wait_for_messages`. */
export interface NewsQuery {
  /** RFC 3339 date-time, exclusive, or the id of a post. */
  readonly after?: string | undefined;
  readonly waitSeconds: number;
  readonly posts?: readonly string[] | undefined;
  readonly prefix?: Prefix | 'none' | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly view: 'full' | 'preview';
}

interface NewsPage extends Pick<NewsResult, 'newer' | 'unknownPosts'> {
  readonly items: RecordView<'post'>[];
  readonly nextAfter: Timestamp;
  /** Whether the page ended early, so that the next call may return messages without waiting. */
  readonly more: boolean;
}

/**
 * Reads the stored posts that match, oldest first. Without `after` and `posts` it reads none and returns the
 * newest cursor.
 */
export async function readNews(read: Reader, query: NewsQuery, caller: Caller): Promise<NewsPage> {
  const { limit, view } = query;
  const { textBudget = Infinity } = caller;
  const after = await resolveAfter(read, query);
  // One post more than the page shows whether there is another page.
  const found = await read.news(toFilter(query), { after, limit: limit + 1, maxCandidates: MAX_CANDIDATES });
  const items = fitPage(found.items, { limit, textBudget, measure: lengthIn(view) });
  const isCut = items.length < found.items.length;
  const lastExamined = isCut ? (items.at(-1)?.record.createdAt ?? null) : found.examinedTo;
  return {
    items,
    newer: found.newer,
    unknownPosts: found.unknownPosts,
    nextAfter: lastExamined ?? found.latest ?? timestampAt(0),
    more: lastExamined !== null,
  };
}

function toFilter({ posts, prefix, q }: NewsQuery): NewsFilter {
  return {
    posts,
    prefix: prefix === 'none' ? null : prefix,
    words: q === undefined ? undefined : queryWordsOf(q).words,
  };
}

/** A cursor between two microseconds is rounded down, so that it skips no post. */
async function resolveAfter(read: Reader, { after, posts }: NewsQuery): Promise<Timestamp | undefined> {
  if (after === undefined) return posts === undefined ? LAST_TIMESTAMP : undefined;
  const madeAt = parsePostIdTime(after);
  if (madeAt === null) return floorToMicrosecond(after) ?? undefined;
  return (await read.find('post', after))?.record.createdAt ?? timestampAt(madeAt);
}

/**
 * The query for the next look of a call that found nothing.
 * @param nextAfter the cursor of the last page
 */
export function nextQuery<Query extends Pick<NewsQuery, 'after'>>(query: Query, nextAfter: Timestamp): Query {
  const { after } = query;
  if (after === undefined) return { ...query, after: nextAfter };
  const madeAt = parsePostIdTime(after);
  const from = madeAt === null ? (floorToMicrosecond(after) ?? '') : timestampAt(madeAt);
  // A cursor in the future is kept as it is.
  return from > nextAfter ? query : { ...query, after: nextAfter };
}

/**
 * Adds the count of an earlier page to a later page of the same call: each look begins where the last one
 * ended.
 */
export function addNewer<Page extends Pick<NewsResult, 'newer'>>({ newer }: Page, page: Page): Page {
  return newer === 0 ? page : { ...page, newer: Math.min(newer + page.newer, MAX_COUNTED_NEWS) };
}
