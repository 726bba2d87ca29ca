import { Low } from 'lowdb';
import type { Timestamp } from '#store/port/records.ts';
import { FeedSearch } from '#store/memory/feed-search.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import { createReader } from '#store/memory/reader.ts';
import { notifyListeners } from '#store/engine/notify-listeners.ts';
import { WriteQueue } from '#store/engine/write-queue.ts';
import {
  StoreFailure,
  type Change,
  type Forgotten,
  type Health,
  type Reader,
  type Store,
  type Writer,
} from '#store/port/store.ts';
import { ownedDisk } from './fs/owned-disk.ts';
import type { JsonlStoreOptions } from './jsonl-options.ts';
import { LogAdapter } from './log-adapter.ts';
import { describeDiskError } from './fs/errors.ts';
import { JsonlWriteEngine } from './jsonl-write-engine.ts';
import { expiryTime } from './day-keys.ts';
import { Mutex } from './mutex.ts';
import { keepSnapshot } from './keep-snapshot.ts';
import { watchFolder } from './watch-folder.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How long after the last write its proof line is written. */
const PROOF_DELAY_MS = 1000;

/**
 * Opens the store in a folder, and makes it if there is none. Any number of processes may have it open.
 * @throws CorruptionError if the folder holds something that is not a whole store; nothing is changed
 */
export async function openJsonlStore(
  options: Omit<JsonlStoreOptions, 'disk'> & Partial<JsonlStoreOptions>,
): Promise<Store> {
  const whole = { disk: ownedDisk(options.folder), ...options };
  const listeners = new Set<(change: Change) => void>();
  const adapter = await LogAdapter.open(whole, (toChange) => {
    // An import has no listener, and a million changes to describe.
    const change = listeners.size === 0 ? undefined : toChange();
    if (change !== undefined) notifyListeners(listeners, change, whole.report);
  });
  return new JsonlStore(whole, adapter, listeners);
}

const closedError = (): StoreFailure => new StoreFailure('nothing', 'the store is closed');

class JsonlStore implements Store {
  readonly read: Reader;
  readonly remainsAfterErase = 'No file of the store holds it. Backups and exports made before still do.';
  readonly #options: JsonlStoreOptions;
  readonly #adapter: LogAdapter;
  readonly #db: Low<RecordIndex>;
  readonly #listeners: Set<(change: Change) => void>;
  readonly #mutex = new Mutex();
  readonly #queue: WriteQueue;
  readonly #feedSearch: FeedSearch;
  #catchingUp: Promise<void> | undefined;
  #trouble: string | null = null;
  #closing: Promise<void> | undefined;
  #sweep: NodeJS.Timeout | undefined;
  /** The latest timestamp at the last sweep, and how long sweeps have seen it stay the latest. */
  #swept: { timestamp: Timestamp | null; unchangedMs: number } = { timestamp: null, unchangedMs: 0 };
  #unwatch: (() => void) | undefined;
  #proof: NodeJS.Timeout | undefined;
  readonly #stopKeepingSnapshot: (() => Promise<void>) | undefined;
  /** Whether this process has appended something since its last proof line. */
  #isUnproved = false;

  constructor(options: JsonlStoreOptions, adapter: LogAdapter, listeners: Set<(change: Change) => void>) {
    this.#options = options;
    this.#adapter = adapter;
    this.#db = new Low<RecordIndex>(adapter, adapter.index);
    this.#listeners = listeners;
    this.#queue = new WriteQueue(
      new JsonlWriteEngine({
        db: this.#db,
        adapter,
        clock: options.clock,
        mutex: this.#mutex,
        onOutcome: (error) => {
          this.#note(error);
          if (error === null) this.#proveLater();
        },
      }),
    );
    this.#feedSearch = new FeedSearch(() => adapter.index.feed);
    this.read = createReader(() => this.#readable(), options.clock, this.#feedSearch);
    if (options.keepsKeys !== true) this.#sweepLater();
    if (options.writesSnapshot === true)
      this.#stopKeepingSnapshot = keepSnapshot(adapter, () => this.#catchUp(), options);
  }

  readonly write: Store['write'] = (lookups, decide) =>
    this.#closed ? Promise.reject(closedError()) : this.#queue.write(lookups, decide);

  revision(): number | undefined {
    return this.#closed ? undefined : this.#adapter.revision;
  }

  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    this.#unwatch ??= watchFolder(this.#options, () => void this.#fresh());
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = undefined;
    };
  }

  /** By the wall clock alone: the log of a store that stood still shows no later time. */
  async forgetClients(): Promise<Forgotten> {
    const now = this.#options.clock.now();
    this.#adapter.index.writeHistory.prune(now);
    await this.#adapter.keys.destroy(now);
    return { destroyed: this.#adapter.keys.destroyed, unit: 'keys' };
  }

  async findWriter(id: string): Promise<Writer | undefined> {
    const entries = [...(await this.#readable()).writeHistory.entries()];
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) return undefined;
    const { at, clientKey } = entry;
    const ofDay = entries.filter((one) => Math.floor(one.at / DAY_MS) === Math.floor(at / DAY_MS));
    return {
      sealed: this.#adapter.keys.seal(entry),
      at,
      writes: ofDay.filter((one) => one.clientKey === clientKey).length,
      allWrites: ofDay.length,
      isFrom: (other) => other === clientKey,
    };
  }

  prepareSearch(): void {
    this.#feedSearch.start();
  }

  sizeInBytes(): number {
    return this.#adapter.size;
  }

  searchIndexBytes(): number {
    return this.#adapter.index.feed.bytes;
  }

  async health(): Promise<Health> {
    if (this.#trouble !== null && !this.#closed) await this.#mutex.runExclusive(() => this.#tryWriting());
    return { writable: this.#trouble === null, reason: this.#trouble, notifying: true };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  get #closed(): boolean {
    return this.#closing !== undefined;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#sweep);
    this.#feedSearch.stop();
    this.#unwatch?.();
    await this.#queue.idle();
    await this.#prove();
    await this.#stopKeepingSnapshot?.();
    await this.#mutex.runExclusive(() => this.#adapter.close());
  }

  /** Some time after the last write, and when the store closes: later openers then need no new segment. */
  #proveLater(): void {
    clearTimeout(this.#proof);
    this.#isUnproved = true;
    this.#proof = setTimeout(() => void this.#prove(), this.#options.proofDelayMs ?? PROOF_DELAY_MS).unref();
  }

  /** It also shows whether the disk still takes writes. */
  async #prove(): Promise<void> {
    clearTimeout(this.#proof);
    if (!this.#isUnproved) return;
    this.#isUnproved = false;
    try {
      await this.#mutex.runExclusive(() => this.#adapter.prove());
    } catch (error) {
      this.#note(error);
    }
  }

  /** @returns whether the index holds every change that was durable at the time of the call */
  async #catchUp(): Promise<boolean> {
    await this.#mutex.runExclusive(() => this.#db.read());
    return !this.#adapter.hasMoved();
  }

  /** @throws StoreFailure if the store is closed, since texts can no longer be read */
  async #readable(): Promise<RecordIndex> {
    if (this.#closed) throw closedError();
    return this.#fresh();
  }

  /** Applies lines appended by other processes. On failure, reads continue with the current index. */
  async #fresh(): Promise<RecordIndex> {
    try {
      // Two passes: a catch-up already in progress may have started before the write this reader must see.
      for (let pass = 0; pass < 2; pass++) {
        if (this.#adapter.busy !== undefined) await this.#adapter.busy;
        if (this.#closed || !this.#adapter.hasMoved()) break;
        this.#catchingUp ??= this.#mutex
          .runExclusive(() => this.#db.read())
          .finally(() => (this.#catchingUp = undefined));
        await this.#catchingUp;
      }
    } catch (error) {
      this.#note(error);
    }
    return this.#adapter.index;
  }

  async #tryWriting(): Promise<void> {
    try {
      await this.#db.read();
      await this.#adapter.keys.prepare(this.#options.clock.now());
      await this.#db.write();
      this.#note(null);
    } catch (error) {
      this.#note(error);
    }
  }

  /** Reports a change once, however often it is noted. @param error null after a write that succeeded */
  #note(error: unknown): void {
    const trouble = error === null ? null : describeDiskError(error);
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#options.report(trouble === null ? 'writes are accepted again' : `${trouble}: ${String(error)}`);
  }

  /** Every hour, and right at midnight, forgets who wrote what longer ago than anybody may know. */
  #sweepLater(): void {
    const { clock } = this.#options;
    const untilMidnight = DAY_MS - (clock.now() % DAY_MS);
    const delay = Math.min(HOUR_MS, untilMidnight);
    this.#sweep = setTimeout(() => {
      void this.#fresh();
      const { lastTimestamp, writeHistory } = this.#adapter.index;
      const unchangedMs = this.#swept.timestamp === lastTimestamp ? this.#swept.unchangedMs + delay : 0;
      this.#swept = { timestamp: lastTimestamp, unchangedMs };
      const time = expiryTime(clock.now(), lastTimestamp, unchangedMs);
      writeHistory.prune(time);
      this.#adapter.keys.destroy(time).catch((error: unknown) => {
        this.#note(error);
      });
      this.#sweepLater();
    }, delay).unref();
  }
}
