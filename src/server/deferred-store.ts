import type { Reader, Store } from '#store/port/store.ts';
import type { ServiceStore } from './context.ts';

/**
 * Accepts calls while the store opens. These wait, and later ones go directly to it.
 * @param opening if it rejects, no call settles
 */
export function deferStore(opening: Promise<Store>): ServiceStore {
  let store: Store | undefined;
  // The caller that opens the store reports the failure.
  const opened = opening.catch(() => new Promise<never>(() => undefined));
  void opened.then((it) => {
    store = it;
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
    knownSteps: () => store?.knownSteps?.(),
    sizeInBytes: () => store?.sizeInBytes(),
  };
}

/** Registers the listener before any later call on `opened` returns a result. */
function watchLater(opened: Promise<Store>, listener: Parameters<Store['watch']>[0]): () => void {
  const watching = opened.then((store) => store.watch(listener));
  return () =>
    void watching.then((unwatch) => {
      unwatch();
    });
}

function deferReader(opened: Promise<Reader>): Reader {
  return new Proxy({} as Reader, {
    get: (_, method: keyof Reader) => {
      if (method !== 'history')
        return async (...args: never[]) =>
          ((await opened)[method] as (...given: never[]) => unknown)(...args);
      return async function* history() {
        yield* (await opened).history();
      };
    },
  });
}
