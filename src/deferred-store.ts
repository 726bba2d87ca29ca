import type { Reader, Store } from '#store/port/store.ts';
import type { ServiceStore } from './context.ts';

/**
 * A store that serves requests while it opens. Requests wait for the store here, and nowhere else. Once it is
 * open, every call goes to it directly.
 * @param opening if it rejects, no call ever settles
 */
export function deferStore(opening: Promise<Store>): ServiceStore {
  let store: Store | undefined;
  const opened = new Promise<Store>((resolve) => {
    opening.then(
      (it) => {
        store = it;
        resolve(it);
      },
      // The caller that opens the store reports it.
      () => undefined,
    );
  });
  const reader = deferReader(opened.then(({ read }) => read));
  return {
    get read() {
      return store?.read ?? reader;
    },
    write: (lookups, decide) =>
      store === undefined ? opened.then((it) => it.write(lookups, decide)) : store.write(lookups, decide),
    revision: () => (store === undefined ? opened.then((it) => it.revision()) : store.revision()),
    watch: (listener) => (store === undefined ? watchLater(opened, listener) : store.watch(listener)),
    sizeInBytes: () => store?.sizeInBytes(),
  };
}

/** Registers the listener before any later call on `opened` returns a result. */
function watchLater(opened: Promise<Store>, listener: Parameters<Store['watch']>[0]): () => void {
  let isEnded = false;
  let unwatch = (): void => undefined;
  void opened.then((store) => {
    if (!isEnded) unwatch = store.watch(listener);
  });
  return () => {
    isEnded = true;
    unwatch();
  };
}

function deferReader(opened: Promise<Reader>): Reader {
  return {
    find: async (kind, id) => (await opened).find(kind, id),
    page: async (kind, range) => (await opened).page(kind, range),
    feed: async (filter, range) => (await opened).feed(filter, range),
    news: async (filter, range) => (await opened).news(filter, range),
    newsOfThreads: async (filter, range) => (await opened).newsOfThreads(filter, range),
    threads: async (range) => (await opened).threads(range),
    threadSize: async (rootId) => (await opened).threadSize(rootId),
    takersOf: async (id, limit) => (await opened).takersOf(id, limit),
    totals: async () => (await opened).totals(),
    dayCounts: async (range) => (await opened).dayCounts(range),
    firstPosts: async (limit) => (await opened).firstPosts(limit),
    steps: async () => (await opened).steps(),
    posts: async (ids) => (await opened).posts(ids),
    prefixes: async (ids) => (await opened).prefixes(ids),
    countPosts: async (range, limit) => (await opened).countPosts(range, limit),
    recentWriteAges: async (clientKey, limitScope, windowMs, limit) =>
      (await opened).recentWriteAges(clientKey, limitScope, windowMs, limit),
    records: async (ids) => (await opened).records(ids),
    moderations: async (...range) => (await opened).moderations(...range),
    async *history() {
      yield* (await opened).history();
    },
    log: async (after, limit) => (await opened).log(after, limit),
    frozen: async () => (await opened).frozen(),
    hasTimestamp: async (at) => (await opened).hasTimestamp(at),
  };
}
