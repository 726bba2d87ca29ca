import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Adapter } from 'lowdb';
import type { ErasedAddition, Operation } from '#store/engine/operation.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import type { RecordSource } from '#store/memory/record-source.ts';
import type { RecordRows } from '#store/memory/rows/record-rows.ts';
import { StoreFailure, type Change } from '#store/store.ts';
import { expiryTime } from './expiry-time.ts';
import type { Disk } from './fs/disk.ts';
import { decodeOperation, recordIn } from './log/codec.ts';
import { findFirstSegment } from './log/first-segment.ts';
import type { StoredOperation } from './log/line.ts';
import type { LogVisitor } from './log/log-state.ts';
import { Log } from './log/log.ts';
import type { Row } from './log/row.ts';
import { RowsFolder } from './rows/rows-folder.ts';
import { RowsUpkeep } from './rows/rows-upkeep.ts';
import { DayKeys } from './visitor-keys.ts';

/** How the folder `rows` is kept. */
export interface RowsOptions {
  /** How many lines a file describes. */
  readonly linesPerFile: number;
  /** How often files are looked for that can be written. */
  readonly intervalMs: number;
}

export interface JsonlStoreOptions {
  readonly disk: Disk;
  /** The data folder. */
  readonly folder: string;
  /** Wall-clock time in milliseconds since 1970. */
  readonly clock: { now: () => number };
  /** Where keys are made, outside of backups of the folder; `keys` in the folder if it is left out. */
  readonly keysFolder?: string | undefined;
  /** Refuses a folder without a store, rather than making one. */
  readonly mustExist?: boolean;
  /** Leaves expired keys to the servers: an operator command may run under a wrong clock for a moment. */
  readonly keepsKeys?: boolean;
  /** Messages for the operator, without texts and addresses. */
  readonly report: (message: string) => void;
  /** Waits for so many milliseconds. */
  readonly pause?: (ms: number) => Promise<void>;
  /** How long after the last write a proof line follows; a second if it is left out. */
  readonly proofDelayMs?: number;
  readonly rows?: RowsOptions;
  /** Reads every line of the log, rather than what the folder `rows` says of it. */
  readonly readsEveryLine?: boolean;
}

/** An operation with the form in which a line holds it. */
export interface NewOperation {
  readonly operation: Operation;
  readonly stored: StoredOperation;
}

/**
 * The adapter of lowdb: the log of a folder, and the index that its lines make. `read` catches the index up
 * with what any process appended. Its caller runs one method at a time.
 */
export class LogAdapter implements Adapter<RecordIndex>, LogVisitor {
  readonly keys: DayKeys;
  readonly #options: JsonlStoreOptions;
  readonly #notify: (change: Change) => void;
  readonly #rows: RowsUpkeep;
  #log: Log | undefined;
  readonly #records: RecordSource = {
    read: (rows) => this.log.readLines(rows).map((stored) => recordIn(stored)),
  };
  #index = new RecordIndex(this.#records);
  /** Lines that are not part of the index yet: their keys may have to be loaded. */
  #waiting: Row[] = [];
  /** The index that is built while the log is read from its beginning. */
  #nextIndex: RecordIndex | undefined;
  /** The number of the last line that is part of the index. */
  #appliedSeq = 0;
  /** Changes up to this line are known to the listeners. */
  #notifiedSeq = 0;
  #busy: Promise<void> | undefined;
  #revision = 0;

  private constructor(options: JsonlStoreOptions, notify: (change: Change) => void) {
    const ownKeys = join(options.folder, 'keys');
    this.#options = options;
    this.#notify = notify;
    const { rows, clock, readsEveryLine = false } = options;
    const folder = new RowsFolder({ ...options, ...rows, isRead: !readsEveryLine });
    this.#rows = new RowsUpkeep(folder, clock);
    this.keys = new DayKeys(options.disk, options.keysFolder ?? ownKeys, ownKeys);
  }

  /** @throws CorruptionError if the folder holds something else than a whole store, or nothing */
  static async open(options: JsonlStoreOptions, notify: (change: Change) => void): Promise<LogAdapter> {
    const { disk, folder, mustExist, report, pause = sleep } = options;
    const adapter = new LogAdapter(options, notify);
    const first = await findFirstSegment(disk, folder, mustExist !== true);
    const context = { disk, folder, report, pause, visitor: adapter, rows: adapter.#rows.folder };
    // There is no listener yet.
    adapter.#notifiedSeq = Infinity;
    adapter.#log = await Log.open(context, first);
    try {
      await adapter.#finishOpening();
    } catch (error) {
      await adapter.close();
      throw error;
    }
    return adapter;
  }

  async #finishOpening(): Promise<void> {
    await this.#applyRows();
    this.#notifiedSeq = this.#appliedSeq;
    const { writeHistory, lastTimestamp } = this.#index;
    // Only now is it known how far the log reaches.
    const time = expiryTime(this.#options.clock.now(), lastTimestamp);
    writeHistory.prune(time);
    if (this.#options.keepsKeys !== true) await this.keys.destroy(time);
    await this.#rows.removeStale().catch((error: unknown) => {
      this.#options.report(`the folder rows may hold more than it should: ${String(error)}`);
    });
  }

  /** To be awaited before `hasMoved` can answer: lines are being read or appended. A sync is not part of it. */
  get busy(): Promise<void> | undefined {
    return this.#busy ?? this.log.appending;
  }

  /** Undefined while a process may have appended what was not read yet. One system call. */
  get revision(): number | undefined {
    return this.busy !== undefined || this.hasMoved() ? undefined : this.#revision;
  }

  get index(): RecordIndex {
    return this.#index;
  }

  /** The length of the log in bytes, as of the last read or write. Other files of the folder stay small. */
  get size(): number {
    return this.log.size;
  }

  /** One system call: whether a reader of the index has to wait for `read`. */
  hasMoved(): boolean {
    return this.#waiting.length > 0 || this.log.hasMoved();
  }

  /** @throws StoreFailure if the log cannot be read */
  async read(): Promise<RecordIndex> {
    await this.#whileBusy(() => this.#run('nothing', () => this.log.catchUp()));
    return this.#index;
  }

  /** Tries whether the disk takes a write; the index is in the log already. @throws StoreFailure */
  async write(): Promise<void> {
    await this.#run('nothing', () => this.log.probe());
  }

  /**
   * Has to come between `read` and the decision on what is appended.
   * @throws StoreFailure if nothing can be appended
   */
  async prepareToAppend(): Promise<void> {
    await this.#run('nothing', () => this.log.prepareToAppend());
  }

  /**
   * Appends operations, and removes the texts that they erase.
   * @returns how many are durable: the first so many. The others are not in the log.
   * @throws StoreFailure
   */
  async append(operations: readonly NewOperation[]): Promise<number> {
    const batch = this.#untilEraseOfOwn(operations);
    const first = this.log.seq + 1;
    const lines = batch.map(({ operation, stored }) => ({ stored, erases: this.#erasedRow(operation) }));
    const durable = await this.#run('unknown', () => this.log.append(lines));
    const added = batch.slice(0, durable);
    if (durable > 0) this.#revision += 1;
    added.forEach(({ operation }, index) => {
      this.#apply(operation, first + index);
    });
    if (added.some(({ operation }) => operation.action === 'erase'))
      await this.#run('unknown', () => this.log.finishErasures());
    return durable;
  }

  /**
   * Writes a file that is missing in the folder `rows`.
   * @param catchUp as of `RowsUpkeep.writeMissing`
   * @returns false if none is missing, or it cannot be written now
   */
  async writeRows(catchUp: () => Promise<boolean>): Promise<boolean> {
    const exportRows = (first: number, count: number): RecordRows | undefined => {
      const isThere = this.#nextIndex === undefined && first + count - 1 <= this.#appliedSeq;
      return isThere ? this.#index.exportRows(first, count) : undefined;
    };
    return this.#rows.writeMissing(this.log, exportRows, catchUp);
  }

  /** As the function `findMisfits`. */
  findMisfits(catchUp: () => Promise<unknown>): Promise<string[]> {
    return this.log.findMisfits((first, count) => this.#index.exportRows(first, count), catchUp);
  }

  /** Proves to later openers that what was appended is synced. @throws StoreFailure if the disk fails */
  async prove(): Promise<void> {
    await this.#run('nothing', () => this.log.prove());
  }

  close(): Promise<void> {
    return this.log.close();
  }

  row(row: Row): void {
    if (this.#nextIndex === undefined) this.#waiting.push(row);
    else this.#applyRow(row);
  }

  restore(rows: RecordRows, at: number, seq: number): void {
    this.#nextIndex?.restore(rows, at, seq);
    this.#appliedSeq = seq;
  }

  isRecent(time: number): boolean {
    return this.#rows.isRecent(time);
  }

  async reset(): Promise<void> {
    await this.keys.load();
    const expectedRecords = await this.#rows.begin();
    this.#waiting = [];
    this.#nextIndex = new RecordIndex(this.#records, expectedRecords);
    this.#appliedSeq = 0;
  }

  loaded(): void {
    this.#index = this.#nextIndex ?? this.#index;
    this.#nextIndex = undefined;
    this.#revision += 1;
  }

  private get log(): Log {
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

  #erasedRow(operation: Operation): number | undefined {
    return operation.action === 'erase' ? this.#index.rowOf(operation.id) : undefined;
  }

  async #run<Result>(stored: StoreFailure['stored'], work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      await this.#applyRows();
      return result;
    } catch (error) {
      // The lines were read, whatever failed afterwards.
      await this.#applyRows().catch(() => undefined);
      if (error instanceof StoreFailure) throw error;
      const reason = error instanceof Error ? error.message : 'the disk failed';
      throw new StoreFailure(stored, reason, { cause: error });
    }
  }

  /** @throws Error if a key cannot be read; the lines are applied by the next call */
  async #applyRows(): Promise<void> {
    const isKeyMissing = this.#waiting.some(
      ({ do: stored }) => 'by' in stored && this.keys.lacks(stored.by ?? ''),
    );
    if (isKeyMissing) await this.keys.load();
    const rows = this.#waiting.splice(0);
    if (rows.length > 0) this.#revision += 1;
    for (const row of rows) this.#applyRow(row);
  }

  #applyRow({ seq, do: stored }: Row): void {
    this.#apply(decodeOperation(stored, this.keys), seq);
  }

  #apply(operation: Operation | ErasedAddition, seq: number): void {
    if (seq <= this.#appliedSeq) return;
    this.#appliedSeq = seq;
    const index = this.#nextIndex ?? this.#index;
    if (operation.action === 'erase')
      this.#rows.noteErase(index.has(operation.id) ? index.rowOf(operation.id) : undefined);
    // Only at its end it is known how far the log reaches, and what has expired.
    const isLoading = this.#nextIndex !== undefined;
    const now = isLoading ? 0 : expiryTime(this.#options.clock.now(), index.lastTimestamp);
    if (operation.action === 'erased-add') {
      index.applyErased(operation, now, seq);
      return;
    }
    index.apply(operation, now, seq);
    if (seq <= this.#notifiedSeq) return;
    this.#notifiedSeq = seq;
    const change = index.changeOf(operation);
    if (change !== undefined) this.#notify(change);
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
