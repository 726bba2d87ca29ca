import { Low } from 'lowdb';
import type { Step } from '#message/step.ts';
import { idOf, isFreezeOperation, textBytes, timestampOf, type Operation } from '#store/engine/operation.ts';
import { DAY_MS, HOUR_MS } from '#store/engine/timestamp.ts';
import { notifyListeners } from '#store/engine/notify-listeners.ts';
import type { Snapshot, WriteTransaction, WriteEngine } from '#store/engine/write-engine.ts';
import { WriteQueue } from '#store/engine/write-queue.ts';
import {
  StoreFailure,
  type Change,
  type Health,
  type Reader,
  type Store,
  type WriteSource,
} from '#store/port/store.ts';
import type { Lookup } from '#store/port/lookups.ts';
import { createSnapshot } from './snapshot.ts';
import { FolderAdapter, type Batch } from './folder-adapter.ts';
import { SYNC_FAILED } from './failed-sync.ts';
import { describeDiskError } from './fs/disk.ts';
import { ownedDisk } from './fs/owned-disk.ts';
import { thisHost } from './host.ts';
import { Mutex } from './lock.ts';
import type { FolderStoreOptions } from './open-log.ts';
import { createReader } from './reader.ts';
import type { Source } from './records.ts';
import { addWords } from './search.ts';
import type { State } from './state.ts';

const POLL_MS = 250;
/** Delay before the words of posts are added, so that a server answers its first requests first. */
const WORDS_DELAY_MS = 1000;
/** Approximate length of a line without the texts of its record. */
const LINE_BYTES = 400;

/**
 * Opens the store in a folder, and creates it if there is none. Any number of processes may have it open.
 * @throws CorruptionError if the folder holds anything but an undamaged store; nothing is changed
 */
export async function openFolderStore(
  options: Omit<FolderStoreOptions, 'disk' | 'host'> & Partial<FolderStoreOptions>,
): Promise<Store> {
  const whole = { disk: ownedDisk(options.folder), host: thisHost, ...options };
  const listeners = new Set<(change: Change) => void>();
  const adapter = await FolderAdapter.open(whole, (change) => {
    notifyListeners(listeners, change, whole.report);
  });
  const store = new FolderStore(whole, adapter, listeners);
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
  readonly #listeners: Set<(change: Change) => void>;
  readonly #mutex = new Mutex();
  readonly #queue: WriteQueue;
  #catchingUp: Promise<void> | undefined;
  #maintaining: Promise<void> | undefined;
  /** Ids and times of the operations that this process is appending. */
  #appending: ReadonlySet<string | undefined> = new Set();
  #trouble: string | null = null;
  /** Whether a stale lock was replaced, whose holder may still append. */
  #owesFence = false;
  #closing: Promise<void> | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #words: NodeJS.Timeout | undefined;

  constructor(options: FolderStoreOptions, adapter: FolderAdapter, listeners: Set<(change: Change) => void>) {
    this.#options = options;
    this.#adapter = adapter;
    this.#listeners = listeners;
    const engine: WriteEngine = {
      // Lookups in memory cost little, so that only the bytes of a batch are bounded.
      maxBatchSize: Infinity,
      timeoutMs: Infinity,
      transact: (_: readonly Lookup[], runDecisions) => this.#transact(runDecisions),
      retryOf: () => 'none',
      onFailure: (failure) => {
        this.#reportTrouble(failure);
      },
    };
    this.#queue = new WriteQueue(engine);
    const { log, state } = adapter;
    this.#source = { currentState: (...names) => this.#currentState(...names), log, recent: state.recent };
    this.read = createReader(this.#source, options.clock);
    if (log.blanks.hasUnfinished || log.blanks.hasDead) this.#maintain();
  }

  /** Destroys what has expired, and reports a sync that failed before this process opened the folder. */
  async begin(): Promise<void> {
    if (this.#options.isCommand !== true) {
      this.#sweepLater();
      await this.#expire();
    }
    if (await this.#adapter.log.isFlagged()) this.#reportTrouble(new StoreFailure('nothing', SYNC_FAILED));
  }

  readonly write: Store['write'] = (lookups, decide) =>
    this.#closed ? Promise.reject(closedError()) : this.#queue.write(lookups, decide);

  /** Undefined while the log has lines that were not read yet. One system call. */
  revision(): number | undefined {
    return this.#closed || this.#adapter.log.hasGrown() ? undefined : this.#adapter.state.revision;
  }

  knownSteps(): readonly Step[] | undefined {
    return this.#adapter.state.steps.knownSteps;
  }

  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    this.#poll ??= setInterval(() => void this.#fresh(), POLL_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
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
    this.#words ??= setTimeout(() => void this.#addWords(), WORDS_DELAY_MS).unref();
  }

  sizeInBytes(): number {
    return this.#adapter.log.size;
  }

  searchIndexBytes(): number {
    return this.#adapter.state.words.bytes;
  }

  async health(): Promise<Health> {
    if (this.#trouble !== null && !this.#closed) await this.#tryWriting();
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
    clearTimeout(this.#words);
    clearInterval(this.#poll);
    await this.#queue.idle();
    await this.#maintaining;
    // Not inside the mutex of reads: a job that has the lock may wait for that mutex.
    await this.#adapter.lock.release().catch(() => undefined);
    await this.#mutex.runExclusive(() => this.#adapter.log.close());
  }

  /** @throws StoreFailure if the store is closed, since texts can no longer be read */
  async #currentState(...mustHave: readonly (string | undefined)[]): Promise<State> {
    await this.#fresh();
    // The batch ends before the next job of the mutex begins.
    if (mustHave.some((name) => this.#appending.has(name)))
      await this.#mutex.runExclusive(() => Promise.resolve());
    if (this.#closed) throw closedError();
    if (this.#adapter.log.hasLostLines) throw new StoreFailure('nothing', SYNC_FAILED);
    return this.#adapter.state;
  }

  /** Applies lines appended by other processes. On failure, reads continue with the current state. */
  async #fresh(): Promise<void> {
    try {
      // Two passes: a catch-up already in progress may have started before the write this reader must see.
      for (let pass = 0; pass < 2; pass++) {
        if (this.#closed || !this.#adapter.log.hasGrown()) return;
        this.#catchingUp ??= this.#mutex
          .runExclusive(() => this.#adapter.catchUp())
          .finally(() => (this.#catchingUp = undefined));
        await this.#catchingUp;
      }
    } catch (error) {
      this.#reportTrouble(error);
    }
  }

  async #transact(runDecisions: (transaction: WriteTransaction) => void): Promise<number> {
    try {
      return await this.#locked(() => this.#decideAndAppend(runDecisions));
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const reason = error instanceof Error ? error.message : 'the disk failed';
      throw new StoreFailure('nothing', reason, { cause: error });
    }
  }

  async #decideAndAppend(runDecisions: (transaction: WriteTransaction) => void): Promise<number> {
    const { keys, log, state } = this.#adapter;
    const db = new Low<Batch>(this.#adapter, { operations: [], stored: 0 });
    const now = this.#options.clock.now();
    if (this.#options.isCommand !== true) await keys.prepare(now);
    await db.read();
    const appended = db.update((batch) => {
      batch.operations = decideBatch(runDecisions, createSnapshot(state, now, log));
      this.#appending = new Set(batch.operations.flatMap(namesOf));
    });
    await appended.finally(() => (this.#appending = new Set()));
    const { operations, stored } = db.data;
    if (operations.length > 0) this.#reportTrouble(null);
    return stored;
  }

  /** Runs a job while this process has the lock, and while no read of this process reads the log. */
  #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    const { lock, log } = this.#adapter;
    return lock.runLocked((hasReplaced) =>
      this.#mutex.runExclusive(async () => {
        this.#owesFence ||= hasReplaced;
        if (this.#owesFence) await log.fence();
        this.#owesFence = false;
        return work();
      }),
    );
  }

  /** Finishes the erases of a process that crashed. */
  #maintain(): void {
    this.#maintaining = this.#locked(async () => {
      await this.#adapter.read();
      await this.#adapter.log.blank();
    }).catch((error: unknown) => {
      if (!this.#adapter.log.blanks.hasUnfinished) return;
      this.#options.report('an erased text is still in the log; the next process that may write removes it');
      this.#reportTrouble(error);
    });
  }

  async #tryWriting(): Promise<void> {
    try {
      await this.#locked(async () => {
        await this.#adapter.keys.prepare(this.#options.clock.now());
        await this.#adapter.read();
        await this.#adapter.log.fence();
      });
      this.#reportTrouble(null);
    } catch (error) {
      this.#reportTrouble(error);
    }
  }

  async #addWords(): Promise<void> {
    await addWords(this.#source, () => this.#closed).catch(() => undefined);
    if (!this.#closed) this.#words = setTimeout(() => void this.#addWords(), WORDS_DELAY_MS).unref();
  }

  /** Reports whether writes succeed, when that changes. @param error null after a write that succeeded */
  #reportTrouble(error: unknown): void {
    const trouble = error === null ? null : describeDiskError(error);
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    this.#options.report(trouble === null ? 'writes are accepted again' : `${trouble}: ${String(cause)}`);
  }

  #sweepLater(): void {
    const untilMidnight = DAY_MS - (this.#options.clock.now() % DAY_MS);
    this.#sweep = setTimeout(
      () => {
        void this.#expire();
        this.#sweepLater();
      },
      Math.min(HOUR_MS, untilMidnight),
    ).unref();
  }

  /** Destroys expired keys. A folder that is not writable is served all the same. */
  async #expire(): Promise<void> {
    await this.#adapter.expire().catch((error: unknown) => {
      this.#reportTrouble(error);
    });
  }
}

/** A line can be erased only once it is synced, so a batch ends before an erase of a record that it adds. */
function decideBatch(runDecisions: (transaction: WriteTransaction) => void, snapshot: Snapshot): Operation[] {
  const operations: Operation[] = [];
  const added = new Set<string>();
  let isOver = false;
  runDecisions({
    snapshot,
    stage: ({ operation }) => {
      isOver ||= operation.action === 'erase' && added.has(operation.id);
      if (!isOver) operations.push(operation);
      if (operation.action !== 'add') return LINE_BYTES;
      added.add(operation.record.id);
      return LINE_BYTES + textBytes(operation.record);
    },
  });
  return operations;
}

const namesOf = (operation: Operation): string[] =>
  isFreezeOperation(operation) ? [operation.at] : [timestampOf(operation), idOf(operation)];
