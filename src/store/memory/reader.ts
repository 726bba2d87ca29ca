import { toTimeKey, toTimestamp } from './columns/time-key.ts';
import { countByDay } from './day-counts.ts';
import type { FeedSearch } from './feed-search.ts';
import { findFirstPosts } from './first-posts.ts';
import { readHistory } from './history.ts';
import { afterKey, beforeKey } from './key-range.ts';
import { findNews } from './news.ts';
import { readLog } from './log.ts';
import type { RecordIndex } from './record-index.ts';
import { withTexts } from './stored-records.ts';
import { readThreads } from './threads.ts';
import { kindOf } from '#store/port/records.ts';
import type { Kind, Post, PostHead, PostOfThread, Range, Reader, RecordView } from '#store/port/store.ts';

/**
 * A reader over the index in memory.
 * @param currentIndex resolves once the index holds every change that was durable at the time of the call
 * @param clock wall-clock time in milliseconds since 1970
 */
export function createReader(
  currentIndex: () => Promise<RecordIndex>,
  clock: { now: () => number },
  feedSearch: FeedSearch,
): Reader {
  return {
    find: <K extends Kind>(kind: K, id: string) =>
      withTexts(async () => {
        const index = await currentIndex();
        if (!id.startsWith(`${kind}_`) || !index.isVisible(id)) return undefined;
        return index.readViews([index.table.ids.find(id)])[0] as RecordView<K>;
      }),
    page: <K extends Kind>(kind: K, range: Range) =>
      withTexts(async () => {
        const index = await currentIndex();
        return index.readViews(index.page(kind, range)) as RecordView<K>[];
      }),
    feed: (filter, range) =>
      withTexts(async () => {
        let index = await currentIndex();
        const freshIndex = async () => (index = await currentIndex()).feed;
        const { posts, examinedTo } = await feedSearch.search(filter, range, freshIndex);
        // Only now, since a search may have paused while posts were hidden or erased.
        const visible = posts.filter((id) => index.isVisible(id)).map((id) => index.table.ids.find(id));
        return { items: index.readViews(visible) as RecordView<'post'>[], examinedTo };
      }),
    news: (filter, range) =>
      withTexts(async () => {
        const { posts, index, ...found } = await findNews(currentIndex, filter, range);
        return { ...found, items: index.readViews(posts) as RecordView<'post'>[] };
      }),
    newsOfThreads: (filter, range) =>
      withTexts(async () => {
        const { posts, index, ...found } = await findNews(currentIndex, filter, range);
        return { ...found, items: posts.map((post) => toPostOfThread(index, post)) };
      }),
    threads: (range) => withTexts(() => readThreads(currentIndex, range)),
    async threadSize(rootId) {
      const { table, threads } = await currentIndex();
      return threads.size(table.ids.find(rootId));
    },
    takersOf: (id, limit) =>
      withTexts(async () => {
        const index = await currentIndex();
        const takers = index.takers.newest(index.table.ids.find(id), limit);
        return (index.readRecords(takers) as Post[]).map(toPostHead);
      }),
    async totals() {
      return (await currentIndex()).orders.totals();
    },
    dayCounts: (range) => countByDay(currentIndex, range),
    firstPosts: (limit) => findFirstPosts(currentIndex, limit),
    steps: () => withTexts(async () => (await currentIndex()).steps.read()),
    posts: (ids) =>
      withTexts(async () => {
        const index = await currentIndex();
        return index.readViews(visiblePosts(index, ids)) as RecordView<'post'>[];
      }),
    async prefixes(ids) {
      const index = await currentIndex();
      const { table } = index;
      return new Map(visiblePosts(index, ids).map((post) => [table.ids.idOf(post), table.prefixOf(post)]));
    },
    async countPosts({ after, before }, limit) {
      const { orders } = await currentIndex();
      return orders.count('post', { after: afterKey(after), before: beforeKey(before) }, limit);
    },
    records: (ids) =>
      withTexts(async () => {
        const index = await currentIndex();
        const { table } = index;
        const numbers = ids.map((id) => table.ids.find(id)).filter((record) => table.isThere(record));
        return index.readRecords(numbers).map((record) => ({ kind: kindOf(record.id), record }));
      }),
    async moderations(limit, before) {
      return (await currentIndex()).moderations.newest(limit, before);
    },
    history: () => readHistory(currentIndex),
    log: (after, limit) => withTexts(() => readLog(currentIndex, after, limit)),
    async frozen() {
      return (await currentIndex()).frozen;
    },
    async hasTimestamp(at) {
      const { orders, lastTimestamp } = await currentIndex();
      return at === lastTimestamp || orders.hasAnyAt(toTimeKey(at));
    },
    async recentWriteAges(clientKey, limitScope, windowMs, limit) {
      const { writeHistory } = await currentIndex();
      const now = clock.now();
      const entries = writeHistory.recentWrites({ by: { clientKey, limitScope }, windowMs, limit }, now);
      return entries.map(({ at }) => now - at);
    },
  };
}

function visiblePosts({ table }: RecordIndex, ids: readonly string[]): number[] {
  return ids
    .map((id) => table.ids.find(id))
    .filter((record) => table.isVisible(record) && table.kindOf(record) === 'post');
}

function toPostOfThread({ table }: RecordIndex, post: number): PostOfThread {
  return {
    id: table.ids.idOf(post),
    prefix: table.prefixOf(post),
    rootId: table.ids.idOf(table.rootOf(post)),
    createdAt: toTimestamp(table.timeOf(post)),
  };
}

function toPostHead({ id, prefix, name, createdAt }: Post): PostHead {
  return { id, prefix, name: name ?? null, createdAt };
}
