import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import type { Operation } from '#store/engine/operation.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import type { RecordSource } from '#store/memory/stored-records.ts';
import { StoreFailure } from '#store/port/store.ts';
import { DayKeys, expiryTime } from './day-keys.ts';
import { replaceFileBy } from './fs/atomic-files.ts';
import type { JsonlStoreOptions } from './jsonl-options.ts';
import { appendLines } from './log/append.ts';
import { catchUp } from './log/catch-up.ts';
import { recordIn } from './log/codec.ts';
import { finishErasures } from './log/erase.ts';
import type { StoredOperation } from './log/line.ts';
import type { LogState } from './log/log-state.ts';
import { appendProof } from './log/marks.ts';
import { openLog } from './log/open-log.ts';
import { prepareToAppend } from './log/prepare-to-append.ts';
import { readLines } from './log/read-lines.ts';
import { readSnapshot, removeSnapshot, removeTemporaries, SNAPSHOT, type Snapshot } from './log/snapshot.ts';
import { LogIndex, type LogIndexOptions } from './log-index.ts';
import { describesErased, fillSnapshot } from './snapshot-records.ts';

/** An operation with the form in which a line holds it. */
export interface NewOperation {
  readonly operation: Operation;
  readonly stored: StoredOperation;
}

/**
 * The adapter of lowdb: the log of a folder, and the index that its lines make. `read` catches the index up
 * with what any process appended. Its caller runs one method at a time.
 */
export class LogAdapter implements Adapter<RecordIndex> {
  readonly keys: DayKeys;
  readonly #options: JsonlStoreOptions;
  readonly #logIndex: LogIndex;
  #log: LogState | undefined;
  #busy: Promise<void> | undefined;
  #restoredSeq = 0;

  private constructor(options: JsonlStoreOptions, notify: LogIndexOptions['notify']) {
    const { disk, folder, keysFolder, clock } = options;
    const ownKeys = join(folder, 'keys');
    this.#options = options;
    this.keys = new DayKeys(disk, keysFolder ?? ownKeys, ownKeys);
    const source: RecordSource = {
      read: (lines) => readLines(this.log, lines).map((stored) => recordIn(stored)),
    };
    this.#logIndex = new LogIndex({ source, keys: this.keys, clock, notify });
  }

  /** @throws CorruptionError if the folder holds something else than a whole store, or nothing */
  static async open(options: JsonlStoreOptions, notify: LogIndexOptions['notify']): Promise<LogAdapter> {
    const { disk, folder, mustExist, report, pause = sleep, readsEveryLine = false } = options;
    const adapter = new LogAdapter(options, notify);
    const context = { disk, folder, report, pause, consumer: adapter.#logIndex };
    const snapshot = readsEveryLine ? undefined : await readSnapshot(context);
    adapter.#log = await openLog(context, mustExist !== true, snapshot);
    try {
      await adapter.#finishOpening(snapshot);
    } catch (error) {
      await adapter.close();
      throw error;
    }
    return adapter;
  }

  async #finishOpening(snapshot: Snapshot | undefined): Promise<void> {
    await this.#logIndex.applyWaiting();
    this.#logIndex.startNotifying();
    const { writeHistory, lastTimestamp } = this.index;
    // Only now is it known how far the log reaches.
    const time = expiryTime(this.#options.clock.now(), lastTimestamp);
    writeHistory.prune(time);
    // A snapshot that was put back, as from a backup.
    if (snapshot !== undefined && describesErased(snapshot, this.index))
      await removeSnapshot(this.#options).catch((error: unknown) => {
        this.#options.report(
          `the snapshot says something of an erased record and cannot be removed: ${String(error)}`,
        );
      });
    this.#restoredSeq = snapshot?.head.witness.seq ?? 0;
    if (this.#options.keepsKeys !== true) await this.keys.destroy(time);
  }

  /** Await this before `hasMoved`: lines are being read or appended. A sync is not part of it. */
  get busy(): Promise<void> | undefined {
    return this.#busy ?? this.log.appending;
  }

  /** Undefined while a process may have appended what was not read yet. One system call. */
  get revision(): number | undefined {
    return this.busy !== undefined || this.hasMoved() ? undefined : this.#logIndex.revision;
  }

  get index(): RecordIndex {
    return this.#logIndex.current;
  }

  get seq(): number {
    return this.log.seq;
  }

  /** The last line that the snapshot described when the store was opened; 0 without a snapshot. */
  get restoredSeq(): number {
    return this.#restoredSeq;
  }

  /** The length of the log in bytes, as of the last read or write. Other files of the folder stay small. */
  get size(): number {
    return this.log.size + this.log.olderBytes;
  }

  /** One system call: whether a reader of the index has to wait for `read`. */
  hasMoved(): boolean {
    return this.#logIndex.isBehind || this.log.hasMoved();
  }

  /** @throws StoreFailure if the log cannot be read */
  async read(): Promise<RecordIndex> {
    await this.#whileBusy(() => this.#run('nothing', () => catchUp(this.log)));
    return this.index;
  }

  /** Tries whether the disk takes a write; the index is in the log already. @throws StoreFailure */
  async write(): Promise<void> {
    await this.#run('nothing', async () => {
      await prepareToAppend(this.log);
      await appendProof(this.log);
      await this.log.file.sync();
    });
  }

  /**
   * Has to come between `read` and the decision on what is appended.
   * @throws StoreFailure if nothing can be appended
   */
  async prepareToAppend(): Promise<void> {
    await this.#run('nothing', () => prepareToAppend(this.log));
  }

  /**
   * Appends operations, and removes the texts that they erase.
   * @returns the number of leading operations that are durable; the others are not in the log
   * @throws StoreFailure
   */
  async append(operations: readonly NewOperation[]): Promise<number> {
    const batch = this.#untilEraseOfOwn(operations);
    const first = this.log.seq + 1;
    const lines = batch.map(({ operation, stored }) => ({ stored, erases: this.#erasedLine(operation) }));
    const durable = await this.#run('unknown', () => appendLines(this.log, lines));
    const added = batch.slice(0, durable).map(({ operation }) => operation);
    this.#logIndex.applyOwn(added, first);
    if (added.some(({ action }) => action === 'erase'))
      await this.#run('unknown', () => finishErasures(this.log));
    return durable;
  }

  /**
   * Writes the snapshot. The order of the steps matters: an erase that comes later removes the temporary
   * file, and the index knows the earlier ones.
   * @param catchUp resolves to whether the index holds every change that was durable at the time of the call
   * @returns whether the snapshot was written
   */
  async writeSnapshot(catchUp: () => Promise<boolean>): Promise<boolean> {
    const { disk, folder } = this.#options;
    await removeTemporaries(disk, folder);
    return replaceFileBy(
      disk,
      folder,
      SNAPSHOT,
      async (file) => (await catchUp()) && fillSnapshot(file, this.log, this.index),
    );
  }

  /** Proves to later openers that what was appended is synced. @throws StoreFailure if the disk fails */
  async prove(): Promise<void> {
    await this.#run('nothing', () => appendProof(this.log));
  }

  close(): Promise<void> {
    return this.log.close();
  }

  private get log(): LogState {
    if (this.#log === undefined) throw new Error('the log is not open');
    return this.#log;
  }

  /** A line can be erased once it is synced, so a batch ends before it erases what it adds. */
  #untilEraseOfOwn(operations: readonly NewOperation[]): readonly NewOperation[] {
    const added = new Set<string>();
    const end = operations.findIndex(({ operation }) => {
      if (operation.action === 'add') added.add(operation.record.id);
      return operation.action === 'erase' && added.has(operation.id);
    });
    return end < 0 ? operations : operations.slice(0, end);
  }

  #erasedLine(operation: Operation): number | undefined {
    return operation.action === 'erase' ? this.index.lineOf(operation.id) : undefined;
  }

  async #run<Result>(stored: StoreFailure['stored'], work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      await this.#logIndex.applyWaiting();
      return result;
    } catch (error) {
      // The lines were read, whatever failed afterwards.
      await this.#logIndex.applyWaiting().catch(() => undefined);
      if (error instanceof StoreFailure) throw error;
      const reason = error instanceof Error ? error.message : 'the disk failed';
      throw new StoreFailure(stored, reason, { cause: error });
    }
  }

  async #whileBusy<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = work();
    this.#busy = running.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await running;
    } finally {
      this.#busy = undefined;
    }
  }
}
