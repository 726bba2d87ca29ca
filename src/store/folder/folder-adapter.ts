import type { Adapter } from 'lowdb';
import { join } from 'node:path';
import type { ErasedAddition, Operation } from '#store/engine/operation.ts';
import { HOUR_MS } from '#store/engine/timestamp.ts';
import { notifyListeners } from '#store/engine/notify-listeners.ts';
import { RETENTION_MS, type WriteEntry } from '#store/engine/write-history.ts';
import type { Change } from '#store/port/store.ts';
import { DayKeys } from './day-keys.ts';
import { readExpiryClock } from './expiry-clock.ts';
import { toOperation, toStored, type StoredOperation } from './line.ts';
import { Lock } from './lock.ts';
import type { ReadLine } from './line-sequence.ts';
import { Log } from './log.ts';
import { openLogFile, removeLeftovers, type FolderStoreOptions } from './open-log.ts';
import { State } from './state.ts';

/** Thrown by `FolderAdapter.write`: the other operations lost to lines of another process. */
export class PartlyStored extends Error {
  /** How many operations, from the first on, are stored. */
  stored = 0;
}

/**
 * Stores a folder for lowdb: `Low.read` reads what other processes have appended to the log, and `Low.write`
 * appends the operations of a batch as JSON lines and syncs the file. The data of lowdb is the batch and not
 * the store, so that a post costs one line: `JSONFile` of lowdb would write the whole store for each post.
 * `state` is the result of all lines.
 */
export class FolderAdapter implements Adapter<readonly Operation[]> {
  readonly state = new State();
  readonly keys: DayKeys;
  readonly log: Log;
  readonly lock: Lock;
  readonly listeners = new Set<(change: Change) => void>();
  readonly #options: FolderStoreOptions;
  #expiry = 0;

  private constructor(options: FolderStoreOptions, log: Log) {
    const { disk, folder, keysFolder, host } = options;
    const defaultKeys = join(folder, 'keys');
    this.keys = new DayKeys(disk, keysFolder ?? defaultKeys, defaultKeys);
    this.log = log;
    this.lock = new Lock(disk, folder, host);
    this.#options = options;
  }

  /** Reads the log without the lock. @throws CorruptionError unless the folder holds an undamaged store */
  static async open(options: FolderStoreOptions): Promise<FolderAdapter> {
    const log = new Log(options, await openLogFile(options));
    try {
      const adapter = new FolderAdapter(options, log);
      await adapter.#load();
      return adapter;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Forgets what has expired, and removes old temporary files. @throws Error if a key cannot be removed */
  async expire(): Promise<void> {
    const { disk, folder, clock } = this.#options;
    this.#expiry = await readExpiryClock(disk, folder, clock.now(), this.state.lastTimestamp === null);
    this.state.writeHistory.prune(this.#expiry);
    await this.keys.destroy(this.#expiry);
    // A file that cannot be removed does not prevent writes.
    await removeLeftovers(disk, folder, this.#expiry - HOUR_MS);
  }

  /** Applies to the state what any process has appended. @throws CorruptionError, StoreFailure */
  catchUp(): Promise<void> {
    return this.log.catchUp((lines) => this.#applyLines(lines, []));
  }

  /**
   * Applies what any process has appended. Only for the holder of the lock, before `write`.
   * @returns the operations of the next batch: none yet
   * @throws CorruptionError, StoreFailure if this process may not append
   */
  async read(): Promise<readonly Operation[]> {
    await this.log.readAsHolder((lines) => this.#applyLines(lines, []));
    return [];
  }

  /** Appends, syncs and blanks erased texts, for the lock's holder. @throws PartlyStored, StoreFailure */
  async write(operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return this.log.syncRead();
    const lines = operations.map((operation) => this.#toStored(operation));
    const stored = await this.log.append(lines, (read) => this.#applyLines(read, operations));
    await this.log.blank();
    if (stored < operations.length) throw Object.assign(new PartlyStored(), { stored });
  }

  async #load(): Promise<void> {
    await this.keys.load();
    // If a sync of another process fails now, the system does not report it to files that are opened later.
    // That process writes the flag before it releases the lock.
    await this.lock.untilReleased();
    await this.log.load((lines) => this.#applyLines(lines, []));
    this.state.arrange();
  }

  /** @param batch the operations of this process @throws Error before anything, if a key cannot be read */
  async #applyLines(lines: readonly ReadLine[], batch: readonly Operation[]): Promise<void> {
    const isLacking = ({ batchIndex, do: stored }: ReadLine): boolean =>
      batchIndex === undefined && 'add' in stored && stored.by !== undefined && this.keys.lacks(stored.by);
    if (this.state.isArranged && lines.some(isLacking)) await this.keys.load();
    for (const { batchIndex, do: stored, seq, offset, length } of lines) {
      const operation = (batchIndex === undefined ? undefined : batch[batchIndex]) ?? toOperation(stored);
      const change = this.state.apply(operation, { seq, offset, length });
      if (change !== undefined && this.state.isArranged)
        notifyListeners(this.listeners, change, this.#options.report);
      const entry = batchIndex === undefined ? this.#openEntry(stored) : writeEntryOf(operation);
      if (entry !== undefined && entry.atMs > this.#expiry - RETENTION_MS) this.state.writeHistory.add(entry);
    }
  }

  /** @returns undefined if the key of its day is destroyed, as it is after two days at most */
  #openEntry(stored: StoredOperation): WriteEntry | undefined {
    if (!('add' in stored) || stored.by === undefined) return undefined;
    return this.keys.open(stored.by, stored.record.id);
  }

  #toStored(operation: Operation): StoredOperation {
    const entry = writeEntryOf(operation);
    const stored = toStored(operation, entry && this.keys.seal(entry));
    const item = operation.action === 'erase' ? this.state.find(operation.id) : undefined;
    // Without a number no line of the log adds the record. An erased one is erased again.
    return item === undefined || item.seq === 0 ? stored : { ...stored, line: this.log.eraseTarget(item) };
  }
}

function writeEntryOf(operation: Operation | ErasedAddition): WriteEntry | undefined {
  return operation.action === 'add' ? operation.writeEntry : undefined;
}
