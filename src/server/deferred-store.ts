import type { Reader, Store } from '#store/port/store.ts';
import type { ServiceStore } from './service.ts';

/** Calls wait until the store has opened. @param opening if it rejects, no call settles */
export function deferStore(opening: Promise<Store>): ServiceStore {
  let store: Store | undefined;
  // The caller that opens the store reports its failure.
  const opened = opening.catch(() => new Promise<never>(() => undefined));
  void opened.then((it) => {
    store = it;
  });
  return {
    read: deferReader(opened.then(({ read }) => read)),
    write: async (lookups, decide) => (await opened).write(lookups, decide),
    revision: async () => (await opened).revision(),
    watch: (listener) => {
      // Registered before any later call on `opened` returns a result.
      const watching = opened.then((it) => it.watch(listener));
      return () =>
        void watching.then((unwatch) => {
          unwatch();
        });
    },
    knownSteps: () => store?.knownSteps?.(),
    sizeInBytes: () => store?.sizeInBytes(),
  };
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
