import type { Range, ThreadHead, ThreadRange } from '#store/port/pages.ts';
import type { ExportedRecord, CountedRecord, Kind, ModerationEntry } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { testClock, type TestClock } from '../clock.ts';

interface Test {
  readonly after: (end: () => Promise<void>) => void;
}

/** Options of the function with which the contract opens an engine. */
interface OpenOptions {
  /** What the store is for: it is closed afterwards. */
  readonly t: Test;
  readonly clock: TestClock;
  /** Stores of one location share their data. An unused location is empty. */
  readonly location: string;
}

/** Opens the engine under test. */
export type OpenStore = (opening: OpenOptions) => Promise<Store>;

let locations = 0;

/** An empty location with a clock that stands still. Its stores are closed after the test. */
export class StoreLocation {
  readonly clock = testClock('2026-11-21T10:49:32.123Z');
  readonly #name = `location-${(locations += 1)}`;
  readonly #open: OpenStore;
  readonly #t: Test;

  constructor(t: Test, open: OpenStore) {
    this.#t = t;
    this.#open = open;
  }

  async open(): Promise<Store> {
    const store = await this.#open({ t: this.#t, clock: this.clock, location: this.#name });
    this.#t.after(() => store.close());
    return store;
  }
}

/** Opens the first store of an empty location. */
export async function openFirst(
  t: Test,
  open: OpenStore,
): Promise<{ location: StoreLocation; store: Store }> {
  const location = new StoreLocation(t, open);
  return { location, store: await location.open() };
}

/** @returns all records of a range, read page by page. @param between runs after each page */
export async function pageThrough(
  store: Store,
  kind: Kind,
  range: Range,
  between?: () => Promise<unknown>,
): Promise<CountedRecord[]> {
  const all: CountedRecord[] = [];
  for (let cursor: string | undefined; ; ) {
    const bound = range.order === 'newest' ? { before: cursor } : { after: cursor };
    const page = await store.read.page(kind, { ...range, ...bound });
    if (page.length === 0) return all;
    all.push(...page);
    cursor = page.at(-1)!.record.createdAt;
    await between?.();
  }
}

/** @returns all threads of a range, read page by page */
export async function pageThroughThreads({ read }: Store, range: ThreadRange): Promise<ThreadHead[]> {
  const all: ThreadHead[] = [];
  for (let bounds = {}; ; ) {
    const { items } = await read.threads({ ...range, ...bounds });
    all.push(...items);
    const last = items.at(-1);
    if (last === undefined) return all;
    bounds = range.order === 'newest' ? { before: last.lastAt } : { after: last.lastAt };
  }
}

/** @returns the messages of all visible posts, oldest first */
export async function textsOf(store: Store): Promise<string[]> {
  const page = await store.read.page('post', { order: 'oldest', limit: 10_000 });
  return page.map(({ record }) => record.message);
}

/** @returns all entries of `Reader.history` */
export async function historyOf(store: Store): Promise<(ExportedRecord | ModerationEntry)[]> {
  const entries: (ExportedRecord | ModerationEntry)[] = [];
  for await (const entry of store.read.history()) entries.push(entry);
  return entries;
}
