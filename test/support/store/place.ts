import type { TestContext } from 'node:test';
import type { ExportedRecord, RecordView, Kind, ModerationEntry, Range, Store } from '#store/store.ts';
import { clockAt, type Clock } from './records.ts';

export interface OpenOptions {
  readonly clock: Clock;
  /** Stores opened at one place share what they keep; a new place is empty. */
  readonly location: string;
}

/** How a test opens the engine that it is to judge. */
export type OpenStore = (opening: OpenOptions) => Promise<Store>;

let places = 0;

/** An empty place, with a clock that stands still. What is opened there is closed with the test. */
export class StoreLocation {
  readonly clock = clockAt('2026-11-21T10:49:32.123Z');
  readonly #name = `place-${(places += 1)}`;
  readonly #open: OpenStore;
  readonly #t: TestContext;

  constructor(t: TestContext, open: OpenStore) {
    this.#t = t;
    this.#open = open;
  }

  async open(): Promise<Store> {
    const store = await this.#open({ clock: this.clock, location: this.#name });
    this.#t.after(() => store.close());
    return store;
  }
}

/** @returns all of one collection, collected page after page. */
export async function pageThrough(
  store: Store,
  kind: Kind,
  range: Range,
  between?: () => Promise<unknown>,
): Promise<RecordView[]> {
  const all: RecordView[] = [];
  for (let cursor: string | undefined; ; ) {
    const way = range.order === 'newest' ? { before: cursor } : { after: cursor };
    const page = await store.read.page(kind, { ...range, ...way });
    if (page.length === 0) return all;
    all.push(...page);
    cursor = page.at(-1)!.record.createdAt;
    await between?.();
  }
}

/** @returns the texts of the posts that are shown, oldest first. */
export async function textsOf(store: Store): Promise<string[]> {
  const page = await store.read.page('post', { order: 'oldest', limit: 10_000 });
  return page.map(({ record }) => record.message);
}

export async function historyOf(store: Store): Promise<(ExportedRecord | ModerationEntry)[]> {
  const entries: (ExportedRecord | ModerationEntry)[] = [];
  for await (const entry of store.read.history()) entries.push(entry);
  return entries;
}
