import type { NewsFilter, NewsResult } from '#store/port/pages.ts';
import { LAST_TIMESTAMP, type RecordView, type Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { queryAlternatives, queryWordsOf } from '#message/words.ts';
import type * as z from 'zod';
import type { Topic } from '#workspace/waiting/post-watch.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { lengthIn } from './feed-page.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { fitPage } from './page.ts';
import { MAX_PAGE, type News, type NewsQuery, parsePostIdTime } from '#workspace/schemas/news.ts';
import { MAX_EXCEPT } from '#workspace/schemas/fields.ts';
import { floorToMicrosecond, timestampAt } from '#workspace/text/time.ts';

/** The approximate number of posts that one call examines. */
const MAX_CANDIDATES = 20_000;

/** Pages that hold nothing but excepted messages, and that one read skips. */
const MAX_OWN_PAGES = 10;
/** Ids in `leftOut`. */
const MAX_LEFT_OUT = 10;

/** What a page of any view has besides its messages or threads. */
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
): Promise<NewsState & { items: RecordView<'post'>[] }> {
  const { limit, view } = query;
  const { textBudget = Infinity } = textLimit;
  const after = await resolveAfter(read, query);
  // One post more than the page shows whether there is another page.
  const found = await read.news(toFilter(query), { after, limit: limit + 1, maxCandidates: MAX_CANDIDATES });
  const items = fitPage(found.items, { limit, textBudget, measure: lengthIn(view) });
  const isCut = items.length < found.items.length;
  const lastExamined = isCut ? (items.at(-1)?.record.createdAt ?? null) : found.examinedTo;
  const more = lastExamined !== null;
  const latest = found.latest ?? timestampAt(0);
  return {
    items,
    newer: found.newer ?? (more ? null : items.length),
    unknownPosts: found.unknownPosts,
    nextAfter: lastExamined ?? latest,
    wasAhead: isAhead(query, after, latest),
    more,
  };
}

/** Whether a query leaves out messages, so that its cursor passes them unseen. */
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
    applied: {
      ...(q !== undefined && { q }),
      ...(prefix !== undefined && { prefix }),
      ...(view !== 'full' && { view }),
      ...(any !== undefined && { any }),
      ...(posts !== undefined && { posts: [...posts] }),
    },
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

/**
 * Converts a cursor to a timestamp. A cursor between two microseconds is rounded down, so it skips no post.
 */
export async function resolveAfter(
  read: Reader,
  { after, posts }: Pick<NewsQuery, 'after' | 'posts'>,
): Promise<Timestamp | undefined> {
  if (after === undefined) return posts === undefined ? LAST_TIMESTAMP : undefined;
  const madeAt = parsePostIdTime(after);
  if (madeAt === null) return floorToMicrosecond(after) ?? undefined;
  return (await read.find('post', after))?.record.createdAt ?? timestampAt(madeAt);
}

/** @param after as `resolveAfter` returned it @param latest the latest timestamp of the store */
export function isAhead(query: NewsQuery, after: Timestamp | undefined, latest: Timestamp): boolean {
  return query.after !== undefined && after !== undefined && after > latest;
}

/** Whether a wait ends with this page. It also ends if none of the posts in the query is known. */
export function isAnswer({ messages, threads, more, applied, unknownPosts }: z.infer<typeof News>): boolean {
  const knowsNone = applied.posts?.every((id) => unknownPosts?.includes(id)) ?? false;
  return (messages ?? threads ?? []).length > 0 || more || knowsNone;
}

interface Message {
  readonly id: string;
  readonly rootId: string;
  readonly name: string | null;
  readonly mark?: string | undefined;
  readonly createdAt: Timestamp;
}

interface Page {
  readonly nextAfter: Timestamp;
  readonly afterWasAhead?: true | undefined;
  readonly more: boolean;
  readonly newer: number | null;
  readonly leftOut?: readonly string[] | undefined;
  readonly messages?: readonly Message[] | undefined;
  readonly threads?: readonly unknown[] | undefined;
}

/** @returns a page of a call, with the fields that only an earlier read of the same call has */
export function joinLooks<NewsPage extends Page>(earlier: NewsPage, page: NewsPage): NewsPage {
  const { afterWasAhead } = earlier;
  const leftOut = [...(page.leftOut ?? []), ...(earlier.leftOut ?? [])].slice(0, MAX_LEFT_OUT);
  if (afterWasAhead === undefined && leftOut.length === 0) return page;
  return {
    ...page,
    ...(afterWasAhead !== undefined && { afterWasAhead }),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

/**
 * Removes the posts of `except`, and of those with the name `exceptName` what its owner in the thread signed,
 * or, where no key has the name, what has no claimed mark, from a page that was read without these filters.
 * `leftOut` names the latter. If no message is left, it reads the next page: at most once for each of these
 * ids, and ten times more. It reads threads again, since a page does not show which posts it counts.
 * @param look reads the page of another query
 * @param ownersOf as `Feed.ownersOf`
 * @returns the same page if it has none of these posts
 */
export async function leaveOutOwn<NewsPage extends Page>(
  query: NewsQuery,
  page: NewsPage,
  look: (query: NewsQuery) => Promise<NewsPage>,
  ownersOf: (messages: readonly Message[]) => Promise<ReadonlyMap<string, boolean>>,
): Promise<NewsPage> {
  const { except = [], exceptName, ...shared } = query;
  if (except.length === 0 && exceptName === undefined) return page;
  const excepted = new Set(except);
  const findOwn = async ({ messages = [] }: Page): Promise<(Message & { readonly isSigned: boolean })[]> => {
    const named = messages.filter(({ id, name }) => name === exceptName && !excepted.has(id));
    if (exceptName === undefined || named.length === 0) return [];
    const owners = await ownersOf(named);
    return named.flatMap((message) => {
      const isSigned = owners.get(message.id);
      return isSigned === undefined ? [] : { ...message, isSigned };
    });
  };
  if (page.threads !== undefined) {
    if (page.threads.length === 0) return page;
    const own =
      exceptName === undefined
        ? []
        : await findOwn(await look({ ...shared, view: 'preview', limit: MAX_PAGE }));
    const found = own.slice(0, MAX_EXCEPT - except.length);
    const ids = [...except, ...found.map(({ id }) => id)];
    const rest = ids.length === 0 ? page : await look({ ...shared, except: ids });
    return withLeftOut(rest, unsignedOf(found.filter(({ createdAt }) => createdAt <= rest.nextAfter)));
  }
  let leftOut: string[] = [];
  for (let current = page, looks = 1; ; looks++) {
    const { more, newer, messages: all = [] } = current;
    const found = await findOwn(current);
    const own = new Set(found.map(({ id }) => id));
    leftOut = [...unsignedOf(found), ...leftOut];
    const messages = all.filter(({ id }) => !excepted.has(id) && !own.has(id));
    const isWhole = messages.length === all.length;
    if (!isWhole && messages.length === 0 && more && looks <= except.length + MAX_OWN_PAGES) {
      current = await look({ ...shared, after: current.nextAfter });
      continue;
    }
    // Later pages may hold such posts too.
    const count = more ? null : messages.length;
    return withLeftOut(
      isWhole && newer === count ? current : { ...current, newer: count, messages },
      leftOut,
    );
  }
}

/** @returns the ids of messages that have no key, newest first */
const unsignedOf = (found: readonly { readonly id: string; readonly isSigned: boolean }[]): string[] =>
  found.flatMap(({ id, isSigned }) => (isSigned ? [] : id)).reverse();

/** @param leftOut newest first */
function withLeftOut<NewsPage extends Page>(page: NewsPage, leftOut: readonly string[]): NewsPage {
  return leftOut.length === 0 ? page : { ...page, leftOut: leftOut.slice(0, MAX_LEFT_OUT) };
}

/** @returns topics of a query: every post that matches the query belongs to at least one of them */
export function toTopics({ posts, prefix }: Pick<NewsQuery, 'posts' | 'prefix'>): Topic[] {
  if (posts !== undefined) return posts as Topic[];
  return [prefix === undefined ? 'feed' : `prefix ${prefix}`];
}
