import { followLog } from '#commands/follow-log.ts';
import { LogFollower, type MirrorContext } from '#commands/mirror.ts';
import type { PrivateStore } from '#private/private-store.ts';
import type { Store } from '#store/port/store.ts';
import { createPrivateStore, openStore } from '#server/open-store.ts';

const report = (): void => undefined;

/** Where the store of a mirror is. */
export type MirrorPlace = { readonly dataDir: string } | { readonly databaseUrl: string };

export interface TestMirror {
  readonly store: Store;
  readonly privateStore: PrivateStore;
  /** Messages for the operator. */
  readonly status: string[];
  /** Copies the log up to its end, as `porchlight mirror --once`. */
  readonly follow: () => Promise<void>;
  /** Follows the log until `isStopped`, as `porchlight mirror`. */
  readonly followLive: () => Promise<void>;
}

/** Opens the mirror of a service, which is closed after the test. */
export async function openMirror(
  test: { after: (fn: () => Promise<void>) => void },
  origin: string,
  place: MirrorPlace,
  overrides: Partial<MirrorContext> = {},
): Promise<TestMirror> {
  const config = {
    dataDir: '',
    keysDir: undefined,
    databaseUrl: undefined,
    visitorSecrets: undefined,
    visitorSecretFolder: undefined,
    ...place,
  };
  const [store, privateStore] = [await openStore(config, report), await createPrivateStore(config, report)];
  test.after(async () => {
    await privateStore.close();
    await store.close();
  });
  const status: string[] = [];
  const context: MirrorContext = {
    store,
    privateStore,
    service: { name: 'porchlight', baseUrl: null },
    fetch: (address, timeoutMs) =>
      fetch(address, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' }),
    now: () => Date.now(),
    sleep: async () => undefined,
    isStopped: () => false,
    isFull: () => false,
    logStatus: (line) => status.push(line),
    ...overrides,
  };
  const run = async (once: boolean): Promise<void> =>
    followLog(await LogFollower.open(origin, context), once, context);
  return { store, privateStore, status, follow: () => run(true), followLive: () => run(false) };
}
