import type { Moderation } from '#store/engine/operation.ts';
import { kindOf, type Kind } from '#store/records.ts';
import { countByDay } from './day-counts.ts';
import type { FeedSearch } from './feed/feed-search.ts';
import { findFirstPosts } from './first-posts.ts';
import { readNews } from './news.ts';
import type { PostEntry } from './record-entry.ts';
import type { RecordIndex } from './record-index.ts';
import { readThreads } from './threads.ts';
import { createWorkReader } from './work/work-reader.ts';
import type { RecordView, ModerationEntry, PostHead, Range, Reader } from '#store/store.ts';

/**
 * A reader over the index in memory.
 * @param currentIndex resolves once the index holds every change that was durable at the time of the call
 * @param clock wall-clock time in milliseconds since 1970
 */
export function createReader(
  currentIndex: () => Promise<RecordIndex>,
  clock: { now: () => number },
  feedSearch: FeedSearch<PostEntry>,
): Reader {
  return {
    async find<K extends Kind>(kind: K, id: string) {
      if (!id.startsWith(`${kind}_`)) return undefined;
      return (await currentIndex()).view(id) as RecordView<K> | undefined;
    },
    async page<K extends Kind>(kind: K, range: Range) {
      return (await currentIndex()).page(kind, range) as RecordView<K>[];
    },
    async feed(filter, range) {
      let index = await currentIndex();
      const freshIndex = async () => (index = await currentIndex()).feed;
      const { posts, examinedTo } = await feedSearch.search(filter, range, freshIndex);
      // Looked up again, since a search may have paused while posts were hidden or erased.
      const views = posts.map(({ record }) => index.view(record.id) as RecordView<'post'> | undefined);
      return { items: views.filter((view) => view !== undefined), examinedTo };
    },
    news: (filter, range) => readNews(currentIndex, filter, range),
    async threads(range) {
      return readThreads(await currentIndex(), range);
    },
    async threadSize(rootId) {
      return (await currentIndex()).links.threadSize(rootId);
    },
    async takersOf(id, limit) {
      return (await currentIndex()).links.takersOf(id, limit).map(toPostHead);
    },
    async totals() {
      return (await currentIndex()).orders.totals();
    },
    dayCounts: (range) => countByDay(currentIndex, range),
    firstPosts: (limit) => findFirstPosts(currentIndex, limit),
    ...createWorkReader(currentIndex),
    async moderations(limit) {
      return (await currentIndex()).moderations.newest(limit);
    },
    async *history() {
      const index = await currentIndex();
      for (const record of index.orders.records()) yield { kind: kindOf(record.id), record };
      for (const moderation of index.moderations.all()) yield withoutWriteEntry(moderation);
    },
    async frozen() {
      return (await currentIndex()).frozen;
    },
    async recentWriteAges(clientKey, limitScope, windowMs, limit) {
      const { writeHistory } = await currentIndex();
      const now = clock.now();
      const entries = writeHistory.recentWrites(clientKey, limitScope, now, windowMs, limit);
      return entries.map(({ at }) => now - at);
    },
  };
}

function withoutWriteEntry({ action, id, at, reason }: Moderation): ModerationEntry {
  return { action, id, at, reason };
}

function toPostHead({ record: { id, prefix, name, createdAt } }: PostEntry): PostHead {
  return { id, prefix, name: name ?? null, createdAt };
}
