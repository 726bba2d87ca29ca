import type { Step } from '#message/step.ts';
import { DAY_MS } from '#store/engine/timestamp.ts';
import { WriteQueue } from '#store/engine/write-queue.ts';
import {
  StoreFailure,
  type Change,
  type Health,
  type Reader,
  type Store,
  type WriteSource,
} from '#store/port/store.ts';
import { FolderAdapter } from './folder-adapter.ts';
import { FolderWriteEngine, WriteHealth } from './folder-write-engine.ts';
import { SYNC_FAILED } from './failed-sync.ts';
import { ownedDisk } from './fs/owned-disk.ts';
import { thisHost } from './host.ts';
import { Mutex } from './lock.ts';
import { startIndexing, startSweeping } from './maintenance.ts';
import type { FolderStoreOptions } from './open-log.ts';
import { createReader } from './reader.ts';
import type { Source } from './records.ts';
import type { State } from './state.ts';

const POLL_MS = 250;

/**
 * Opens the store in a folder, and creates it if there is none. Any number of processes may have it open.
 * @throws CorruptionError if the folder holds anything but an undamaged store; nothing is changed
 */
export async function openFolderStore(
  options: Omit<FolderStoreOptions, 'disk' | 'host'> & Partial<FolderStoreOptions>,
): Promise<Store> {
  const whole = { disk: ownedDisk(options.folder), host: thisHost, ...options };
  const store = new FolderStore(whole, await FolderAdapter.open(whole));
  await store.begin();
  return store;
}

const closedError = (): StoreFailure => new StoreFailure('nothing', 'the store is closed');

class FolderStore implements Store {
  readonly read: Reader;
  readonly remainsAfterErase = 'No file of the store holds it. Backups and exports made before still do.';
  readonly #options: FolderStoreOptions;
  readonly #adapter: FolderAdapter;
  readonly #source: Source;
  /** Lets either a batch or a read use the log. */
  readonly #logMutex = new Mutex();
  readonly #health: WriteHealth;
  readonly #engine: FolderWriteEngine;
  readonly #queue: WriteQueue;
  #catchingUp: Promise<void> | undefined;
  #finishingErases: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #stopSweeping: (() => void) | undefined;
  #stopIndexing: (() => void) | undefined;

  constructor(options: FolderStoreOptions, adapter: FolderAdapter) {
    this.#options = options;
    this.#adapter = adapter;
    this.#health = new WriteHealth(options.report);
    this.#engine = new FolderWriteEngine(options, adapter, this.#logMutex, this.#health);
    this.#queue = new WriteQueue(this.#engine);
    const { log, state } = adapter;
    this.#source = { currentState: (...names) => this.#currentState(...names), log, recent: state.recent };
    this.read = createReader(this.#source, options.clock);
    if (log.blanks.hasUnfinished || log.blanks.hasDead) this.#finishingErases = this.#engine.finishErases();
  }

  /** Destroys what has expired, and reports a sync that failed before this process opened the folder. */
  async begin(): Promise<void> {
    if (this.#options.isCommand !== true) {
      this.#stopSweeping = startSweeping(this.#options.clock, () => this.#expire());
      await this.#expire();
    }
    if (await this.#adapter.log.isFlagged()) this.#health.update(new StoreFailure('nothing', SYNC_FAILED));
  }

  readonly write: Store['write'] = (lookups, decide) =>
    this.#closed ? Promise.reject(closedError()) : this.#queue.write(lookups, decide);

  /** One system call, unless other processes have written: then it reads their lines first. */
  revision(): ReturnType<Store['revision']> {
    return this.#knownRevision() ?? this.#fresh().then(() => this.#knownRevision());
  }

  #knownRevision(): number | undefined {
    return this.#closed || this.#adapter.log.hasGrown() ? undefined : this.#adapter.state.revision;
  }

  knownSteps(): readonly Step[] | undefined {
    return this.#adapter.state.steps.knownSteps;
  }

  watch(listener: (change: Change) => void): () => void {
    const { listeners } = this.#adapter;
    listeners.add(listener);
    this.#poll ??= setInterval(() => void this.#fresh(), POLL_MS);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(this.#poll);
      this.#poll = undefined;
    };
  }

  /** By the wall clock, not `readExpiryClock`: no server may have run since the last write. */
  async forgetClients(): ReturnType<Store['forgetClients']> {
    const now = this.#options.clock.now();
    this.#adapter.state.writeHistory.prune(now);
    return { destroyed: await this.#adapter.keys.destroy(now), unit: 'keys' };
  }

  async findWriteSource(id: string): Promise<WriteSource | undefined> {
    const entries = [...(await this.#currentState()).writeHistory.entries()];
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) return undefined;
    const { atMs, clientKey } = entry;
    const ofDay = entries.filter((one) => Math.floor(one.atMs / DAY_MS) === Math.floor(atMs / DAY_MS));
    return {
      sealed: this.#adapter.keys.seal(entry),
      at: atMs,
      writes: ofDay.filter((one) => one.clientKey === clientKey).length,
      allWrites: ofDay.length,
      isFrom: (other) => other === clientKey,
    };
  }

  prepareSearch(): void {
    this.#stopIndexing ??= startIndexing(this.#source);
  }

  sizeInBytes(): number {
    return this.#adapter.log.size;
  }

  searchIndexBytes(): number {
    return this.#adapter.state.words.bytes;
  }

  async health(): Promise<Health> {
    if (this.#health.reason !== null && !this.#closed) await this.#engine.tryWriting();
    const { reason } = this.#health;
    return { writable: reason === null, reason, notifying: true };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  get #closed(): boolean {
    return this.#closing !== undefined;
  }

  async #close(): Promise<void> {
    this.#stopSweeping?.();
    this.#stopIndexing?.();
    clearInterval(this.#poll);
    await this.#queue.idle();
    await this.#finishingErases;
    // Not inside the mutex: a job that holds the lock may wait for it.
    await this.#adapter.lock.release().catch(() => undefined);
    await this.#logMutex.runExclusive(() => this.#adapter.log.close());
  }

  /** @throws StoreFailure if the store is closed, since texts can no longer be read */
  async #currentState(...mustHave: readonly (string | undefined)[]): Promise<State> {
    await this.#fresh();
    // The next job of the mutex begins once the batch has ended.
    if (mustHave.some((name) => this.#engine.isAppending(name)))
      await this.#logMutex.runExclusive(() => Promise.resolve());
    if (this.#closed) throw closedError();
    if (this.#adapter.log.hasLostLines) throw new StoreFailure('nothing', SYNC_FAILED);
    return this.#adapter.state;
  }

  /** Applies lines appended by other processes. On failure, reads continue with the current state. */
  async #fresh(): Promise<void> {
    try {
      // Two passes: a catch-up in progress may have begun before the write that this reader must see.
      for (let pass = 0; pass < 2; pass++) {
        if (this.#closed || !this.#adapter.log.hasGrown()) return;
        this.#catchingUp ??= this.#logMutex
          .runExclusive(() => this.#adapter.catchUp())
          .finally(() => (this.#catchingUp = undefined));
        await this.#catchingUp;
      }
    } catch (error) {
      this.#health.update(error);
    }
  }

  /** Destroys expired keys. A folder without write access is served nevertheless. */
  async #expire(): Promise<void> {
    await this.#adapter.expire().catch((error: unknown) => {
      this.#health.update(error);
    });
  }
}
