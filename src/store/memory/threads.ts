import { nextSlice } from '#runtime/slice.ts';
import {
  MAX_COUNTED_NEWS,
  type RecordView,
  type ThreadHead,
  type ThreadNews,
  type ThreadPage,
  type ThreadRange,
} from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import { BEFORE_ALL, toTimestamp, type TimeKey } from './columns/time-key.ts';
import { toKeyRange, type KeyRange } from './key-range.ts';
import type { RecordIndex } from './record-index.ts';

/**
 * @param currentIndex as of `createReader`
 * @throws TextUnavailable
 */
export async function readThreads(
  currentIndex: () => Promise<RecordIndex>,
  range: ThreadRange,
): Promise<ThreadPage> {
  let index = await currentIndex();
  while (!isLastPostsWhole(index)) {
    await nextSlice();
    index = await currentIndex();
  }
  const { table, threads } = index;
  const keys = toKeyRange(range);
  const except = new Set(
    (range.except ?? []).filter((id) => index.isVisible(id)).map((id) => table.ids.find(id)),
  );
  const last = findLastPosts(index, keys, except);
  const shown = last.map((post) => {
    const root = table.rootOf(post);
    return table.isVisible(root) ? root : (threads.page(root, { order: 'oldest', limit: 1 })[0] ?? NONE);
  });
  const items = (index.readViews(shown) as RecordView<'post'>[]).map((post, at): ThreadHead => {
    const lastPost = last[at] ?? NONE;
    const root = table.rootOf(lastPost);
    const head = { post, size: threads.size(root), lastAt: toTimestamp(table.timeOf(lastPost)) };
    return keys.after === undefined ? head : { ...head, news: toNews(index, root, keys.after, except) };
  });
  return { items, latest: index.lastTimestamp };
}

function isLastPostsWhole({ table, threads, lastPosts, orders }: RecordIndex): boolean {
  return lastPosts.extend(
    (range) => orders.page('post', range),
    (post) => threads.last(table.rootOf(post)) === post,
  );
}

/** @returns of each thread of a range its last post that is not excepted, in order */
function findLastPosts(
  { table, threads, lastPosts }: RecordIndex,
  range: KeyRange,
  except: ReadonlySet<number>,
): number[] {
  const { order, limit, after = BEFORE_ALL, before = Infinity } = range;
  const roots = new Set([...except].map((post) => table.rootOf(post)));
  const others = lastPosts
    .page({ ...range, limit: limit + roots.size })
    .filter((post) => !roots.has(table.rootOf(post)));
  // The last post of these threads may be excepted.
  const own = [...roots].flatMap((root) => {
    const newest = threads.page(root, { order: 'newest', limit: except.size + 1 });
    return newest.find((post) => !except.has(post)) ?? [];
  });
  const isInRange = (time: TimeKey): boolean => time > after && time < before;
  const sign = order === 'oldest' ? 1 : -1;
  return [...others, ...own.filter((post) => isInRange(table.timeOf(post)))]
    .sort((post, other) => (table.timeOf(post) < table.timeOf(other) ? -sign : sign))
    .slice(0, limit);
}

function toNews(
  { table, threads }: RecordIndex,
  root: number,
  after: TimeKey,
  except: ReadonlySet<number>,
): ThreadNews {
  const posts = threads
    .page(root, { order: 'newest', after, limit: MAX_COUNTED_NEWS + except.size })
    .filter((post) => !except.has(post))
    .slice(0, MAX_COUNTED_NEWS);
  const byPrefix: Record<string, number> = {};
  for (const post of posts) {
    const name = table.prefixOf(post) ?? 'none';
    byPrefix[name] = (byPrefix[name] ?? 0) + 1;
  }
  const result = posts.find((post) => table.prefixOf(post) === 'RESULT');
  return {
    count: posts.length,
    byPrefix,
    newestResult: result === undefined ? null : table.ids.idOf(result),
  };
}
