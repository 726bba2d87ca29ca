import type { Adapter } from 'lowdb';
import { join } from 'node:path';
import type { Operation } from '#store/engine/operation.ts';
import { HOUR_MS } from '#store/engine/timestamp.ts';
import { MAX_CLOCK_SKEW_MS, RETENTION_MS } from '#store/engine/write-history.ts';
import { kindOf } from '#store/port/records.ts';
import type { Change } from '#store/port/store.ts';
import { DayKeys } from './day-keys.ts';
import { ExpiryClock } from './expiry-clock.ts';
import type { EraseTarget, StoredOperation } from './line.ts';
import { toOperation, toStored } from './line.ts';
import type { Disk } from './fs/disk.ts';
import { Lock } from './lock.ts';
import type { ReadLine } from './line-sequence.ts';
import { Log } from './log.ts';
import { removeLeftovers, type FolderStoreOptions } from './open-log.ts';
import { State } from './state.ts';

const FIRST_DROP = 10_000;

interface SealedEntry {
  readonly id: string;
  readonly by: string;
  readonly createdAt: string;
}

export interface Batch {
  operations: readonly Operation[];
  /** How many of them, from the first on, are durable. */
  stored: number;
}

/**
 * How lowdb stores a folder, one batch at a time: `Low.read` reads what other processes have appended to the
 * log, `Low.update` is where the batch is decided, and `Low.write` appends its operations as JSON lines and
 * syncs the file. The data of lowdb is the batch and not the store, so that a post costs its line: a file
 * that is written anew, as by `JSONFile` of lowdb, would cost the whole store. `state` is what the lines add
 * up to.
 */
export class FolderAdapter implements Adapter<Batch> {
  readonly state = new State();
  readonly keys: DayKeys;
  readonly log: Log;
  readonly lock: Lock;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #clock: ExpiryClock;
  readonly #notify: (change: Change) => void;
  /** The entries read so far while the store opens. At the end it is known which have expired. */
  #sealed: SealedEntry[] | undefined = [];
  /** Number of entries at which expired ones are dropped again: twice as many as were kept the last time. */
  #nextDrop = FIRST_DROP;
  #expiry = 0;

  private constructor(options: FolderStoreOptions, log: Log, lock: Lock, notify: (change: Change) => void) {
    const { disk, folder, keysFolder, clock } = options;
    const ownKeys = join(folder, 'keys');
    this.keys = new DayKeys(disk, keysFolder ?? ownKeys, ownKeys);
    this.log = log;
    this.lock = lock;
    this.#disk = disk;
    this.#folder = folder;
    this.#clock = new ExpiryClock(disk, folder, clock);
    this.#notify = notify;
  }

  /**
   * Reads the log without the lock. @param notify gets each change, once it is part of the state
   * @throws CorruptionError if the folder holds anything but an undamaged store
   */
  static async open(options: FolderStoreOptions, notify: (change: Change) => void): Promise<FolderAdapter> {
    const lock = new Lock(options.disk, options.folder, options.host);
    const log = await Log.open(options);
    try {
      const adapter = new FolderAdapter(options, log, lock, notify);
      await adapter.#load();
      return adapter;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Forgets what has expired, and removes old temporary files. @throws Error if a key cannot be removed */
  async expire(): Promise<void> {
    this.#expiry = await this.#clock.read(this.state.lastTimestamp === null);
    this.state.writeHistory.prune(this.#expiry);
    await this.keys.destroy(this.#expiry);
    await removeLeftovers(this.#disk, this.#folder, this.#expiry - HOUR_MS);
  }

  /** Applies to the state what any process has appended. @throws CorruptionError, StoreFailure */
  catchUp(): Promise<void> {
    return this.log.readOn((lines) => this.#applyLines(lines, []));
  }

  /**
   * Applies what any process has appended. Only for the holder of the lock, before `write`.
   * @throws CorruptionError, StoreFailure if this process may not append
   */
  async read(): Promise<Batch> {
    await this.log.checkFile();
    await this.log.readOn((lines) => this.#applyLines(lines, []), { isHolder: true });
    return { operations: [], stored: 0 };
  }

  /** Appends, syncs, and removes erased texts. Only for the holder of the lock. @throws StoreFailure */
  async write(batch: Batch): Promise<void> {
    const { operations } = batch;
    if (operations.length === 0) return this.log.syncRead();
    const lines = operations.map((operation) => this.#toStored(operation));
    batch.stored = await this.log.append(lines, (read) => this.#applyLines(read, operations));
    await this.log.blank();
  }

  async #load(): Promise<void> {
    await this.keys.load();
    // If a sync of another process fails now, the system does not report it to a file that is opened later.
    // That process marks the folder before it releases the lock.
    await this.lock.untilReleased();
    await this.log.load((lines) => this.#applyLines(lines, []));
    this.state.arrange();
    const sealed = this.#sealed ?? [];
    this.#sealed = undefined;
    for (const entry of sealed) this.#remember(entry);
  }

  /**
   * @param batch the operations of this process, which `own` of a line is an index into
   * @throws Error if a key cannot be read; then nothing is applied
   */
  async #applyLines(lines: readonly ReadLine[], batch: readonly Operation[]): Promise<void> {
    const sealed = lines.map((line) => (line.own === undefined ? toSealed(line.do) : undefined));
    if (
      this.#sealed === undefined &&
      sealed.some((entry) => entry !== undefined && this.keys.lacks(entry.by))
    )
      await this.keys.load();
    for (const [index, { own, do: stored, seq, at, length }] of lines.entries()) {
      const operation = (own === undefined ? undefined : batch[own]) ?? toOperation(stored, undefined);
      const change = this.state.apply(operation, { seq, at, length });
      if (change !== undefined && this.#sealed === undefined) this.#notify(change);
      const entry = sealed[index];
      if (entry !== undefined) this.#remember(entry);
      else if ('writeEntry' in operation && operation.writeEntry !== undefined)
        this.state.remember(operation.writeEntry, this.#expiry);
    }
  }

  #remember(entry: SealedEntry): void {
    const { by, id, createdAt } = entry;
    if (this.#sealed !== undefined) {
      if (this.#sealed.push(entry) < this.#nextDrop) return;
      // What has expired by this time has expired at the end of the log too.
      const oldest = Math.min(this.#expiry, Date.parse(this.state.lastTimestamp ?? createdAt));
      this.#sealed = this.#sealed.filter((one) => isRecent(one.createdAt, oldest));
      this.#nextDrop = Math.max(FIRST_DROP, 2 * this.#sealed.length);
      return;
    }
    const writeEntry = isRecent(createdAt, this.#expiry) ? this.keys.open(by, kindOf(id), id) : undefined;
    if (writeEntry !== undefined) this.state.remember(writeEntry, this.#expiry);
  }

  #toStored(operation: Operation): StoredOperation {
    const entry = 'writeEntry' in operation ? operation.writeEntry : undefined;
    const stored = toStored(operation, entry && this.keys.seal(entry));
    const line = operation.action === 'erase' ? this.#eraseTarget(operation.id) : undefined;
    return line === undefined ? stored : { ...stored, line };
  }

  /** @returns undefined if no line of the log adds the record. An erased one is erased again */
  #eraseTarget(id: string): EraseTarget | undefined {
    const item = this.state.find(id);
    return item === undefined || item.seq === 0 ? undefined : this.log.eraseTarget(item);
  }
}

/** Whether the entry of a record may be needed. No entry is later than its record. */
function isRecent(createdAt: string, now: number): boolean {
  return Date.parse(createdAt) > now - RETENTION_MS - MAX_CLOCK_SKEW_MS;
}

function toSealed(stored: StoredOperation): SealedEntry | undefined {
  if (!('add' in stored) || stored.by === undefined) return undefined;
  const { id, createdAt } = stored.record;
  return { id, by: stored.by, createdAt };
}
