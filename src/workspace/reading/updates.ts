import type * as z from 'zod';
import { copiesOf } from '#work/standing-view.ts';
import type { News, NewsQuery } from '#workspace/schemas/news.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { signWith } from '#workspace/service/mirror.ts';
import { readPosts } from './message.ts';
import { describeNews, leaveOutOwn, readNews, resolveAfter } from './news.ts';
import { findOwn } from './own-steps.ts';
import { readThreadNews } from './thread-news.ts';
import { MAX_REFERRERS } from './thread.ts';
import { showPosts, type ReadContext } from './views.ts';

/** Posts of a caller that its news by thread leave out, the oldest first. */
const MAX_OWN = 1000;

/** Reads the messages after a cursor that match, oldest first, or their threads. It does not wait. */
export async function readUpdates(
  context: ReadContext,
  query: NewsQuery,
  textLimit: TextLimit,
): Promise<z.infer<typeof News>> {
  const { store, work } = context;
  const copies = await readCopies(context, query.posts ?? []);
  if (query.view === 'threads') {
    const excepted = { ...query, except: await findExcepted(context, query) };
    return { ...(await readThreadNews(store.read, await work.board(), excepted)), ...copies };
  }
  const look = async (later: NewsQuery): Promise<z.infer<typeof News>> => {
    const { items, ...state } = await readNews(store.read, later, textLimit);
    return { ...describeNews(later, state), messages: await showPosts(context, items, later.view) };
  };
  return { ...(await leaveOutOwn(query, await look(query), look, context)), ...copies };
}

/** @returns threads that are nearly copies of the threads of some posts; nothing without any */
async function readCopies(
  { store, work }: ReadContext,
  posts: readonly string[],
): Promise<Pick<z.infer<typeof News>, 'copies'>> {
  if (posts.length === 0) return {};
  const board = await work.board();
  const unknown = posts.filter((id) => board.authorOfStep(id) === undefined);
  const found = await readPosts(store.read, unknown);
  const rootIds = new Set(posts.map((id) => board.authorOfStep(id)?.rootId ?? found.get(id)?.rootId ?? id));
  const copies = [...rootIds].flatMap((id) => copiesOf(board, id));
  return copies.length === 0 ? {} : { copies: copies.slice(0, MAX_REFERRERS) };
}

/** @returns the ids of `except`, and what the key of the caller has signed after the cursor */
async function findExcepted(
  { service, store, work }: ReadContext,
  { except = [], authorKey, ...query }: NewsQuery,
): Promise<string[]> {
  if (authorKey === undefined) return except;
  const after = await resolveAfter(store.read, query);
  const own = await findOwn(await work.board(), signWith(authorKey, service.mirror), after);
  return [...except, ...own.slice(-MAX_OWN).map(({ id }) => id)];
}
