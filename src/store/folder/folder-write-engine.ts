import { Low } from 'lowdb';
import { idOf, isFreezeOperation, textBytes, timestampOf, type Operation } from '#store/engine/operation.ts';
import type { Snapshot, WriteEngine, WriteTransaction } from '#store/engine/write-engine.ts';
import { StoreFailure } from '#store/port/store.ts';
import { describeDiskError } from './fs/disk.ts';
import { PartlyStored, type FolderAdapter } from './folder-adapter.ts';
import type { Mutex } from './lock.ts';
import type { FolderStoreOptions } from './open-log.ts';
import { createSnapshot } from './snapshot.ts';

/** Approximate length of a line without the texts of its record. */
const LINE_BYTES = 400;

/** Whether writes succeed. The operator is told when that changes. */
export class WriteHealth {
  readonly #report: FolderStoreOptions['report'];
  #reason: string | null = null;

  constructor(report: FolderStoreOptions['report']) {
    this.#report = report;
  }

  /** Why the last write failed, worded for an operator; null if it succeeded. */
  get reason(): string | null {
    return this.#reason;
  }

  /** @param error null after a write that succeeded */
  update(error: unknown): void {
    const reason = error === null ? null : describeDiskError(error);
    if (reason === this.#reason) return;
    this.#reason = reason;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    this.#report(reason === null ? 'writes are accepted again' : `${reason}: ${String(cause)}`);
  }
}

/** Decides a batch and appends it to the log while this process holds the lock file. */
export class FolderWriteEngine implements WriteEngine {
  readonly #options: FolderStoreOptions;
  readonly #adapter: FolderAdapter;
  readonly #logMutex: Mutex;
  readonly #health: WriteHealth;
  /** Ids and times of the operations that this process is appending. */
  #appending: ReadonlySet<string | undefined> = new Set();
  /** Whether a stale lock was replaced, whose holder may still append. */
  #needsFence = false;

  /** @param logMutex lets either a batch or a read of this process use the log */
  constructor(options: FolderStoreOptions, adapter: FolderAdapter, logMutex: Mutex, health: WriteHealth) {
    this.#options = options;
    this.#adapter = adapter;
    this.#logMutex = logMutex;
    this.#health = health;
  }

  async transact(runDecisions: (transaction: WriteTransaction) => void): Promise<number> {
    try {
      return await this.#locked(() => this.#decideAndAppend(runDecisions));
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const reason = error instanceof Error ? error.message : 'the disk failed';
      throw new StoreFailure('nothing', reason, { cause: error });
    }
  }

  onFailure(failure: StoreFailure): void {
    this.#health.update(failure);
  }

  isAppending(idOrTime: string | undefined): boolean {
    return this.#appending.has(idOrTime);
  }

  /** Finishes the erases of a process that crashed. */
  async finishErases(): Promise<void> {
    const { log } = this.#adapter;
    try {
      await this.#locked(async () => {
        await this.#adapter.read();
        await log.blank();
      });
    } catch (error) {
      if (!log.blanks.hasUnfinished) return;
      this.#options.report('erased text is still in the log; the next process with write access removes it');
      this.#health.update(error);
    }
  }

  /** Finds out whether a write would succeed now. */
  async tryWriting(): Promise<void> {
    try {
      await this.#locked(async () => {
        await this.#adapter.keys.prepare(this.#options.clock.now());
        await this.#adapter.read();
        await this.#adapter.log.fence();
      });
      this.#health.update(null);
    } catch (error) {
      this.#health.update(error);
    }
  }

  /** Stores one batch with lowdb: `read` reads what is new in the log, `write` appends the operations. */
  async #decideAndAppend(runDecisions: (transaction: WriteTransaction) => void): Promise<number> {
    const { keys, log, state } = this.#adapter;
    const now = this.#options.clock.now();
    if (this.#options.isCommand !== true) await keys.prepare(now);
    const db = new Low<readonly Operation[]>(this.#adapter, []);
    await db.read();
    db.data = decideBatch(runDecisions, createSnapshot(state, now, log));
    let stored = db.data.length;
    this.#appending = new Set(db.data.flatMap(namesOf));
    try {
      await db.write();
    } catch (error) {
      if (!(error instanceof PartlyStored)) throw error;
      ({ stored } = error);
    } finally {
      this.#appending = new Set();
    }
    if (db.data.length > 0) this.#health.update(null);
    return stored;
  }

  /** Runs a job while this process has the lock, and while no read of this process reads the log. */
  #locked<Result>(job: () => Promise<Result>): Promise<Result> {
    const { lock, log } = this.#adapter;
    return lock.runLocked((hasReplaced) =>
      this.#logMutex.runExclusive(async () => {
        this.#needsFence ||= hasReplaced;
        if (this.#needsFence) await log.fence();
        this.#needsFence = false;
        return job();
      }),
    );
  }
}

/** Only a synced line can be erased, so a batch ends before an erase of a record that it adds. */
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
