import type { NewsFilter, NewsResult } from '#store/port/pages.ts';
import { LAST_TIMESTAMP, type CountedRecord, type Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { queryAlternatives, queryWordsOf } from '#message/words.ts';
import type * as z from 'zod';
import type { CopyOf } from '#work/copies.ts';
import type { Topic } from '#workspace/waiting/post-watch.ts';
import { signWith, type TextLimit } from '#workspace/service/caller.ts';
import { lengthIn } from './message.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { definedOf, fitPage, MAX_CANDIDATES } from './page.ts';
import { type News, type NewsQuery, parsePostIdTime } from '#workspace/schemas/news.ts';
import type { Service } from '#workspace/service/service.ts';
import { floorToMicrosecond, justBefore, timestampAt } from '#workspace/text/time.ts';

/** The state of a page in any view, without its messages or threads. */
export interface NewsState extends Pick<NewsResult, 'newer' | 'unknownPosts'> {
  /** Never earlier than the cursor of the query. */
  readonly nextAfter: Timestamp;
  /** Whether the cursor of the query was later than everything in the store. `nextAfter` replaces it. */
  readonly wasAhead: boolean;
  /** Whether the page ended early. The next call may then return messages without a wait. */
  readonly more: boolean;
}

/**
 * Reads the stored posts that match, oldest first. Without `after` and `posts` it reads none and returns the
 * newest cursor.
 */
export async function readNews(
  read: Reader,
  query: NewsQuery,
  textLimit: TextLimit,
): Promise<NewsState & { items: CountedRecord<'post'>[] }> {
  const { limit, view } = query;
  const after = await resolveAfter(read, query);
  // One extra post shows whether there is another page.
  const found = await read.news(toFilter(query), { after, limit: limit + 1, maxCandidates: MAX_CANDIDATES });
  const page = { ...textLimit, limit, measure: lengthIn(view) };
  const { items, next } = fitPage(found.items, page, found.examinedTo);
  const more = next !== null;
  const latest = found.latest ?? timestampAt(0);
  return {
    items,
    newer: found.newer ?? (more ? null : items.length),
    unknownPosts: found.unknownPosts,
    nextAfter: next ?? latest,
    wasAhead: isAheadOfStore(query, after, latest),
    more,
  };
}

/** Whether a query has filters, and its cursor skips messages that the caller has not seen. */
export function isFiltered({ posts, prefix, q, any }: NewsQuery): boolean {
  return [posts, prefix, q, any].some((filter) => filter !== undefined);
}

export function describeNews(
  query: NewsQuery,
  { newer, unknownPosts, nextAfter, wasAhead, more }: NewsState,
): Omit<z.infer<typeof News>, 'messages' | 'threads'> {
  const { q, any, prefix, posts, view } = query;
  return {
    notice: NOTICE,
    applied: definedOf({ q, prefix, view: view === 'full' ? undefined : view, any, posts }),
    nextAfter,
    ...(isFiltered(query) && { filtered: true as const }),
    ...(wasAhead && { afterWasAhead: true as const }),
    timedOut: false,
    more,
    newer,
    ...(unknownPosts.length > 0 && { unknownPosts: [...unknownPosts] }),
  };
}

export function toFilter({ posts, prefix, q, any }: NewsQuery): NewsFilter {
  return {
    posts,
    prefix: prefix === 'none' ? null : prefix,
    words: q === undefined ? undefined : queryWordsOf(q).words,
    any: any === undefined ? undefined : queryAlternatives(any),
  };
}

/** Converts a cursor to a timestamp. It is rounded down to a microsecond, so that it skips no post. */
export async function resolveAfter(
  read: Reader,
  { after, posts }: Pick<NewsQuery, 'after' | 'posts'>,
): Promise<Timestamp | undefined> {
  if (after === undefined) return posts === undefined ? LAST_TIMESTAMP : undefined;
  const madeAt = parsePostIdTime(after);
  if (madeAt === null) return floorToMicrosecond(after);
  return (await read.find('post', after))?.record.createdAt ?? timestampAt(madeAt);
}

/** @param after the time of the query's cursor @param latest the latest timestamp of the store */
export function isAheadOfStore(query: NewsQuery, after: Timestamp | undefined, latest: Timestamp): boolean {
  return query.after !== undefined && after !== undefined && after > latest;
}

type NewsOutput = z.infer<typeof News>;

/**
 * Whether a wait ends with this page. It also ends if none of the posts in the query is known. The first
 * message of a near-copy does not end a wait: it comes with the page that does.
 */
export function isAnswer({ messages, threads, more, applied, unknownPosts }: NewsOutput): boolean {
  const knowsNone = applied.posts?.every((id) => unknownPosts?.includes(id)) ?? false;
  const wakes =
    messages?.some(({ id, rootId, copyOf }) => id !== rootId || !isNearCopy(copyOf)) ??
    threads?.some(({ lastAt, createdAt, copyOf }) => lastAt !== createdAt || !isNearCopy(copyOf)) ??
    false;
  return wakes || more || knowsNone;
}

const isNearCopy = (copyOf: CopyOf | undefined): boolean => copyOf !== undefined && copyOf.equal > 0;

/** @returns the cursor for the next read of a wait that this page did not end; it skips no message */
export function nextCursor({ messages, threads, nextAfter }: NewsOutput): Timestamp {
  const first = messages?.[0]?.createdAt ?? threads?.[0]?.lastAt;
  return first === undefined ? nextAfter : justBefore(first);
}

/** @returns the page for a wait that has timed out; a page with messages is not marked as a timeout */
export const timeOut = (page: NewsOutput): NewsOutput => ({
  ...page,
  timedOut: (page.messages ?? page.threads ?? []).length === 0,
});

/** @returns the last page of a call, with `afterWasAhead` of an earlier one */
export function joinPages(earlier: NewsOutput, page: NewsOutput): NewsOutput {
  const { afterWasAhead } = earlier;
  return afterWasAhead === undefined ? page : { ...page, afterWasAhead };
}

/** How many further pages a call reads to find a message by someone else. */
const MAX_FURTHER_PAGES = 50;

/**
 * Removes the posts in `except`, and those signed with the caller's key, from a page that was read without
 * these filters. If no message is left, it reads the next page. It reads a page of threads again, because
 * that does not show which posts it counts.
 * @param readPage reads the page of another query
 * @returns the same page if it has none of these posts
 * @throws WorkspaceError for a key that is sent to a mirror
 */
export async function leaveOutOwn(
  query: NewsQuery,
  page: NewsOutput,
  readPage: (query: NewsQuery) => Promise<NewsOutput>,
  { service }: { readonly service: Pick<Service, 'mirror'> },
): Promise<NewsOutput> {
  const { except = [], authorKey, ...shared } = query;
  const sign = signWith(authorKey, service.mirror);
  if (except.length === 0 && authorKey === undefined) return page;
  if (page.threads !== undefined) return page.threads.length === 0 ? page : readPage(query);
  for (let current = page, further = 1; ; further++) {
    const { more, newer, messages: all = [] } = current;
    const messages = all.filter(
      ({ id, rootId, signer }) => !except.includes(id) && (signer === undefined || signer !== sign(rootId)),
    );
    const isWhole = messages.length === all.length;
    if (!isWhole && messages.length === 0 && more && further <= MAX_FURTHER_PAGES) {
      current = await readPage({ ...shared, after: current.nextAfter });
      continue;
    }
    // Later pages may also have posts to remove.
    const count = more ? null : messages.length;
    return isWhole && newer === count ? current : { ...current, newer: count, messages };
  }
}

/** @returns topics of a query: every post that matches the query belongs to at least one of them */
export function toTopics({ posts, prefix }: Pick<NewsQuery, 'posts' | 'prefix'>): Topic[] {
  if (posts !== undefined) return posts as Topic[];
  return [prefix === undefined ? 'feed' : `prefix ${prefix}`];
}
