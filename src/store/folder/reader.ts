import type { Kind, Post } from '#store/port/records.ts';
import type { DayCount, Range } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import { findPosts } from './feed.ts';
import { readHistory, readLog } from './history.ts';
import { toPostHead, type Item } from './item.ts';
import { findNews } from './news.ts';
import { readExported, readRecords, readCounted, walkPosts, withTexts, type Source } from './records.ts';
import type { State } from './state.ts';
import { readThreads } from './threads.ts';
import { count, page, timesAround } from './time-order.ts';

const DATE_LENGTH = '2026-11-21'.length;

export function createReader(source: Source, clock: { now: () => number }): Reader {
  const { currentState } = source;
  return {
    find: <K extends Kind>(kind: K, id: string) =>
      withTexts(async () => {
        const item = id.startsWith(`${kind}_`) ? (await currentState(id)).findVisible(id) : undefined;
        return item && readCounted<K>(source, [item])[0];
      }),
    page: <K extends Kind>(kind: K, range: Range) =>
      withTexts(async () => readCounted<K>(source, page(listOf(await currentState(), kind, range), range))),
    feed: (filter, range) => withTexts(() => findPosts(source, filter, range)),
    news: (filter, range) =>
      withTexts(async () => {
        const found = await findNews(source, filter, range);
        return { ...found, items: readCounted<'post'>(source, found.items) };
      }),
    newsOfThreads: (filter, range) =>
      withTexts(async () => {
        const found = await findNews(source, filter, range);
        const items = found.items.map(({ id, prefix, root, createdAt }) => ({
          id,
          prefix,
          rootId: root?.id ?? id,
          createdAt,
        }));
        return { ...found, items };
      }),
    threads: (range) => withTexts(() => readThreads(source, range)),
    related: ({ posts = [], heads = [], known = [], numbers = [], sizes = [] }) =>
      withTexts(async () => {
        const state = await currentState();
        const views = readCounted<'post'>(source, visiblePosts(state, [...new Set(posts)]));
        return {
          posts: new Map(views.map((view) => [view.record.id, view])),
          heads: new Map(visiblePosts(state, heads).map(toHead)),
          known: new Set(
            known.filter((id) => {
              const { presence = 'awaited', moderatedAt = null } = state.find(id) ?? {};
              return presence !== 'awaited' || moderatedAt !== null;
            }),
          ),
          numbers: numberPosts(state, numbers),
          sizes: new Map(sizes.map((id) => [id, state.find(id)?.thread.length ?? 0])),
        };
      }),
    referrersOf: async (id, limit) => {
      const item = (await currentState()).find(id);
      if (item === undefined) return [];
      const newest = [item.replies, item.namedBy].flatMap((list) => page(list, { order: 'newest', limit }));
      return newest
        .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
        .slice(0, limit)
        .map(toPostHead);
    },
    totals: async () => (await currentState()).totals(),
    dayCounts: async (range) => {
      const days = new Map<string, Record<string, number>>();
      await walkPosts(source, { ...range, order: 'oldest' }, ({ createdAt, prefix }) => {
        const day = createdAt.slice(0, DATE_LENGTH);
        const byPrefix = days.get(day) ?? {};
        days.set(day, byPrefix);
        byPrefix[prefix ?? 'none'] = (byPrefix[prefix ?? 'none'] ?? 0) + 1;
        return true;
      });
      return Array.from(days, ([day, byPrefix]): DayCount => ({ day, byPrefix }));
    },
    firstPosts: async (limit) => {
      const found: Pick<Post, 'id' | 'createdAt'>[] = [];
      if (limit <= 0) return found;
      await walkPosts(source, { order: 'newest' }, ({ id, createdAt, parent }) => {
        if (parent === null) found.push({ id, createdAt });
        return found.length < limit;
      });
      return found;
    },
    steps: () =>
      withTexts(async () => (await currentState()).steps.read((items) => readRecords(source, items))),
    posts: (ids) =>
      withTexts(async () => readCounted<'post'>(source, visiblePosts(await currentState(), ids))),
    countPosts: async (range, limit) => count((await currentState()).visible.post, range, limit),
    records: (ids) => withTexts(async () => readExported(source, arrived(await currentState(), ids))),
    moderations: async (limit, before) =>
      page((await currentState()).moderations, { order: 'newest', limit, before }).map(
        ({ action, id, at, reason }) => ({ action, id, at, reason }),
      ),
    history: () => readHistory(source),
    log: (after, limit) => withTexts(() => readLog(source, after, limit)),
    frozen: async () => (await currentState()).frozen,
    timestampsAround: async (at) => {
      const { lastTimestamp, visible, hidden, moderations } = await currentState(at);
      const lists = [...Object.values(visible), hidden, moderations];
      const times = [lastTimestamp ?? [], ...lists.map((list) => timesAround(list, at))].flat().sort();
      return {
        atOrBefore: times.findLast((time) => time <= at) ?? null,
        atOrAfter: times.find((time) => time >= at) ?? null,
      };
    },
    recentWriteAges: async (clientKey, limitScope, windowMs, limit) => {
      const { writeHistory } = await currentState();
      const now = clock.now();
      const entries = writeHistory.recentWrites({ by: { clientKey, limitScope }, windowMs, limit }, now);
      return entries.map(({ atMs }) => now - atMs);
    },
  };
}

function listOf(state: State, kind: Kind, { within, thread }: Range): readonly Item[] {
  if (thread !== undefined) return state.find(thread)?.thread ?? [];
  if (within === undefined) return state.visible[kind];
  const parent = state.find(within);
  return parent?.presence === 'there' ? parent.replies : [];
}

const toHead = ({ id, prefix, name, root }: Item) => [id, { prefix, name, rootId: root?.id ?? id }] as const;

function numberPosts(state: State, ids: readonly string[]): ReadonlyMap<string, number> {
  const posts = arrived(state, ids);
  const roots = new Set(posts.map(({ root }) => root));
  const hidden = state.hidden.filter(({ root }) => root !== null && roots.has(root));
  const numbers = new Map<string, number>();
  for (const { id, root, createdAt } of posts) {
    if (root === null) continue;
    const isEarlier = (one: Item): boolean => one.root === root && one.createdAt < createdAt;
    numbers.set(id, 1 + count(root.thread, { before: createdAt }) + hidden.filter(isEarlier).length);
  }
  return numbers;
}

/** @returns the records that are not erased, hidden ones too */
function arrived(state: State, ids: readonly string[]): Item[] {
  return ids.flatMap((id) => state.find(id) ?? []).filter(({ presence }) => presence === 'there');
}

function visiblePosts(state: State, ids: readonly string[]): Item[] {
  return ids.flatMap((id) => state.findVisible(id) ?? []).filter(({ root }) => root !== null);
}
