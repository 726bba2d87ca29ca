import { MAX_COUNTED_NEWS, type PostOfThread, type ThreadHead } from '#store/port/pages.ts';
import { LAST_TIMESTAMP, type Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import type { CopyOf } from '#work/copies.ts';
import { copiesOf } from '#work/standing-view.ts';
import type { News, NewsQuery, ThreadWithNews } from '#workspace/schemas/news.ts';
import { signWith, type TextLimit } from '#workspace/service/caller.ts';
import { PREFIXES, type Prefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { readPosts, titleOf } from './message.ts';
import {
  describeNews,
  isAheadOfStore,
  isFiltered,
  leaveOutOwn,
  readNews,
  resolveAfter,
  toFilter,
  type NewsState,
} from './news.ts';
import { findOwnSteps } from './own-steps.ts';
import { fillWithinBudget, jsonBytes, MAX_CANDIDATES } from './page.ts';
import { MAX_REFERRERS } from './thread.ts';
import { showPosts, type ReadContext } from './views.ts';

/** How many posts of the caller news by thread leave out: the oldest after the cursor. */
const MAX_OWN = 1000;

/** Reads the matching messages after a cursor, oldest first, or their threads. It does not wait. */
export async function readUpdates(
  context: ReadContext,
  query: NewsQuery,
  textLimit: TextLimit,
): Promise<z.infer<typeof News>> {
  const { store, boards } = context;
  const copies = await readCopies(context, query.posts ?? []);
  if (query.view === 'threads') {
    const excepted = { ...query, except: await findExcepted(context, query) };
    return { ...(await readThreadNews(store.read, await boards.board(), excepted)), ...copies };
  }
  const readPage = async (pageQuery: NewsQuery): Promise<z.infer<typeof News>> => {
    const { items, ...state } = await readNews(store.read, pageQuery, textLimit);
    return { ...describeNews(pageQuery, state), messages: await showPosts(context, items, pageQuery.view) };
  };
  return { ...(await leaveOutOwn(query, await readPage(query), readPage, context)), ...copies };
}

/** @returns the threads that are nearly copies of the threads of these posts; no member without any */
async function readCopies(
  { store, boards }: ReadContext,
  posts: readonly string[],
): Promise<Pick<z.infer<typeof News>, 'copies'>> {
  if (posts.length === 0) return {};
  const board = await boards.board();
  const unknown = posts.filter((id) => board.authorOfStep(id) === undefined);
  const found = await readPosts(store.read, unknown);
  const rootIds = new Set(posts.map((id) => board.authorOfStep(id)?.rootId ?? found.get(id)?.rootId ?? id));
  const copies = [...rootIds].flatMap((id) => copiesOf(board, id));
  return copies.length === 0 ? {} : { copies: copies.slice(0, MAX_REFERRERS) };
}

/** @returns the ids in `except`, and of the posts after the cursor that the caller's key has signed */
async function findExcepted(
  { service, store, boards }: ReadContext,
  { except = [], authorKey, ...query }: NewsQuery,
): Promise<string[]> {
  if (authorKey === undefined) return except;
  const after = await resolveAfter(store.read, query);
  const own = await findOwnSteps(await boards.board(), signWith(authorKey, service.mirror), after);
  return [...except, ...own.slice(-MAX_OWN).map(({ id }) => id)];
}

const MAX_THREADS = 20;

/** The maximum number of JSON bytes of the result. */
const MAX_BYTES = 8_000;

/** How many posts a call with a filter groups by thread. */
const MAX_GROUPED = 1000;

type Thread = Required<Pick<ThreadHead, 'post' | 'lastAt' | 'news'>>;

/** Reads matching messages after a cursor by thread. The thread with the oldest last message comes first. */
export async function readThreadNews(
  read: Reader,
  board: Board,
  query: NewsQuery,
): Promise<z.infer<typeof News>> {
  const after = await resolveAfter(read, query);
  const found = isFiltered(query)
    ? await groupNews(read, query, after)
    : await readActive(read, query, after);
  const { unknownPosts } = found;
  const latest = found.latest ?? timestampAt(0);
  const wasAhead = isAheadOfStore(query, after, latest);
  const items = found.threads.map((thread) =>
    toThreadNews(thread, board.copies.copyOf(thread.post.record.id)),
  );
  const longest = { newer: MAX_COUNTED_NEWS, unknownPosts, nextAfter: LAST_TIMESTAMP, wasAhead, more: false };
  const maxBytes = MAX_BYTES - jsonBytes({ ...describeNews(query, longest), threads: [] });
  // At least one, so that the next call continues after it.
  const { threads } = fillWithinBudget({ threads: items }, Math.max(maxBytes, jsonBytes(items.slice(0, 1))));
  const isCut = found.isCut || threads.length < items.length;
  const more = isCut || found.examinedTo !== null;
  const count = threads.reduce((sum, thread) => sum + thread.new, 0);
  const state: NewsState = {
    newer: more ? null : Math.min(count, MAX_COUNTED_NEWS),
    unknownPosts,
    nextAfter: (isCut ? (threads.at(-1)?.lastAt ?? found.groupedTo) : found.examinedTo) ?? latest,
    wasAhead,
    more,
  };
  return { ...describeNews(query, state), threads };
}

/** Reads the threads of a query without a filter, from the index of last activity. */
async function readActive(read: Reader, { except, limit }: NewsQuery, after: Timestamp | undefined) {
  const count = Math.min(limit, MAX_THREADS);
  const { items, latest } = await read.threads({
    order: 'oldest',
    after: after ?? '',
    except,
    limit: count + 1,
  });
  const threads = items.flatMap(({ post, lastAt, news }) =>
    news === undefined ? [] : { post, lastAt, news },
  );
  return {
    threads: threads.slice(0, count),
    isCut: threads.length > count,
    groupedTo: undefined,
    examinedTo: null,
    latest,
    unknownPosts: [],
  };
}

/** Reads the posts that match a filter, and groups them by thread. */
async function groupNews(read: Reader, query: NewsQuery, after: Timestamp | undefined) {
  const { except = [], limit } = query;
  const count = Math.min(limit, MAX_THREADS);
  const range = { after, limit: MAX_GROUPED, maxCandidates: MAX_CANDIDATES };
  const { items, examinedTo, latest, unknownPosts } = await read.newsOfThreads(toFilter(query), range);
  const excepted = new Set(except);
  const byRoot = new Map<string, PostOfThread[]>();
  for (const post of items) {
    if (excepted.has(post.id)) continue;
    const { rootId } = post;
    // A map keeps the order of insertion, so this moves the thread to the place of its last post.
    const posts = [...(byRoot.get(rootId) ?? []), post];
    byRoot.delete(rootId);
    byRoot.set(rootId, posts);
  }
  const grouped = [...byRoot].slice(0, count);
  const threads = await Promise.all(grouped.map(([rootId, posts]) => toThread(read, rootId, posts)));
  return {
    /** In the order of `lastAt`. */
    threads: threads.filter((thread) => thread !== undefined),
    /** Whether more threads follow. */
    isCut: byRoot.size > count,
    /** `lastAt` of the last thread here, even if it has been hidden since. */
    groupedTo: grouped.at(-1)?.[1].at(-1)?.createdAt,
    examinedTo,
    latest,
    unknownPosts,
  };
}

/** @param posts of the thread, oldest first @returns undefined if none of its posts is visible any more */
async function toThread(read: Reader, rootId: string, posts: readonly PostOfThread[]) {
  const post =
    (await read.find('post', rootId)) ??
    (await read.page('post', { thread: rootId, order: 'oldest', limit: 1 }))[0];
  const byPrefix: Record<string, number> = {};
  for (const { prefix } of posts) byPrefix[prefix ?? 'none'] = (byPrefix[prefix ?? 'none'] ?? 0) + 1;
  const newestResult = posts.findLast(({ prefix }) => prefix === 'RESULT')?.id ?? null;
  return (
    post && {
      post,
      lastAt: posts.at(-1)?.createdAt ?? '',
      news: { count: posts.length, byPrefix, newestResult },
    }
  );
}

function toThreadNews(
  { post: { record }, lastAt, news }: Thread,
  copyOf: CopyOf | undefined,
): z.infer<typeof ThreadWithNews> {
  const { count, byPrefix, newestResult } = news;
  return {
    rootId: record.id,
    ...(copyOf !== undefined && { copyOf, createdAt: record.createdAt }),
    title: titleOf(record),
    prefix: record.prefix as Prefix | null,
    new: count,
    kinds: Object.fromEntries(
      [...PREFIXES, 'none'].flatMap((kind) => (byPrefix[kind] === undefined ? [] : [[kind, byPrefix[kind]]])),
    ),
    lastAt,
    newestResult,
  };
}
