import type { Adapter } from 'lowdb';
import { join } from 'node:path';
import type { Operation } from '#store/engine/operation.ts';
import { MAX_CLOCK_SKEW_MS, RETENTION_MS } from '#store/engine/write-history.ts';
import { kindOf } from '#store/port/records.ts';
import type { Change } from '#store/port/store.ts';
import { DayKeys, expiryTime } from './day-keys.ts';
import type { CountedLine, EraseTarget, StoredOperation } from './line.ts';
import { toOperation, toStored } from './line.ts';
import { Lock, MAX_WAIT_MS } from './lock.ts';
import { Log } from './log.ts';
import type { FolderStoreOptions, LockHost } from './options.ts';
import { State } from './state.ts';

/** Number of write entries at which an opening drops those that are too old for the first time. */
const FIRST_DROP = 10_000;

/** An encrypted write entry of a record. */
interface SealedEntry {
  readonly id: string;
  readonly by: string;
  readonly createdAt: string;
}

/**
 * The adapter of lowdb: the log of a folder, and the state that its lines make. Its caller runs one method at
 * a time.
 */
export class FolderAdapter implements Adapter<State> {
  readonly state = new State();
  readonly keys: DayKeys;
  readonly log: Log;
  readonly #lock: Lock;
  readonly #host: LockHost;
  readonly #clock: FolderStoreOptions['clock'];
  readonly #notify: (change: Change) => void;
  /** Undefined once the log was read to its end: then it is known what has expired. */
  #sealed: SealedEntry[] | undefined = [];
  /** Doubles what was left the last time: of a day with many writes, all are left. */
  #nextDrop = FIRST_DROP;
  #isHolder = false;

  private constructor(
    options: FolderStoreOptions & { readonly host: LockHost },
    log: Log,
    lock: Lock,
    notify: (change: Change) => void,
  ) {
    const { disk, folder, keysFolder, clock, host } = options;
    const ownKeys = join(folder, 'keys');
    this.keys = new DayKeys(disk, keysFolder ?? ownKeys, ownKeys);
    this.log = log;
    this.#lock = lock;
    this.#host = host;
    this.#clock = clock;
    this.#notify = notify;
  }

  /**
   * Opens a folder without its lock.
   * @param notify is called for each change of a record, once it is part of the state
   * @throws CorruptionError if the folder holds something else than a whole store
   */
  static async open(
    options: FolderStoreOptions & { readonly host: LockHost },
    notify: (change: Change) => void,
  ): Promise<FolderAdapter> {
    const lock = new Lock(options.disk, options.folder, options.host);
    const log = await Log.open(options, lock);
    try {
      const adapter = new FolderAdapter(options, log, lock, notify);
      await adapter.#load();
      return adapter;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** The time by which keys and write entries expire. @param unchangedMs as of `expiryTime` */
  expiry(unchangedMs = 0): number {
    return expiryTime(this.#clock.now(), this.state.lastTimestamp, unchangedMs);
  }

  /** Catches the state up with what any process appended. @throws CorruptionError, StoreFailure */
  async read(): Promise<State> {
    await this.log.readOn((lines) => this.#applyLines(lines), { isHolder: this.#isHolder });
    return this.state;
  }

  /**
   * Appends what a batch staged, syncs it, and removes the texts that it erases. What stays staged is not
   * stored: it lost to another process.
   * @throws StoreFailure
   */
  async write({ staged }: State): Promise<void> {
    if (staged.length === 0) return;
    const stored = staged.map((operation) => this.#toStored(operation));
    const result = await this.log.append(stored, (lines) => this.#applyLines(lines));
    this.state.staged = typeof result === 'number' ? staged.slice(result) : [];
    if (typeof result === 'number') return;
    this.#applyOwn(staged, result);
    await this.log.blank(result[0]?.at ?? 0);
  }

  /**
   * Does some work as the holder of the lock, on a state that is caught up.
   * @throws StoreFailure if the lock cannot be had
   */
  async lockFor<Result>(
    exclusively: <T>(job: () => Promise<T>) => Promise<T>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    // Reads go on meanwhile.
    const replaced = await this.#lock.take(this.#host.now() + MAX_WAIT_MS);
    try {
      return await exclusively(async () => {
        this.#isHolder = true;
        try {
          await this.log.checkFile();
          if (replaced) await this.fence();
          return await work();
        } finally {
          this.#isHolder = false;
        }
      });
    } finally {
      // Who comes next finds a lock that could not be removed.
      if (!this.log.isUnmarked) await this.#lock.leave().catch(() => undefined);
    }
  }

  /** Syncs what an earlier holder appended, and makes sure that what it still appends does not count. */
  async fence(): Promise<void> {
    await this.log.fence();
    await this.log.sync('nothing');
  }

  async close(): Promise<void> {
    await this.#lock.release().catch(() => undefined);
    await this.log.close();
  }

  async #load(): Promise<void> {
    await this.keys.load();
    await this.log.readOn((lines) => this.#applyLines(lines), { isOpening: true });
    const sealed = this.#sealed ?? [];
    this.#sealed = undefined;
    for (const entry of sealed) this.#remember(entry);
  }

  /** Applies lines of any process. @throws Error if a key cannot be read; then nothing is applied */
  async #applyLines(lines: readonly CountedLine[]): Promise<void> {
    const sealed = lines.map((line) => toSealed(line.do));
    if (
      this.#sealed === undefined &&
      sealed.some((entry) => entry !== undefined && this.keys.lacks(entry.by))
    )
      await this.keys.load();
    for (const [index, line] of lines.entries()) {
      const entry = sealed[index];
      this.#apply(toOperation(line.do, undefined), line);
      if (entry !== undefined) this.#remember(entry);
    }
  }

  #applyOwn(operations: readonly Operation[], lines: readonly CountedLine[]): void {
    for (const [index, line] of lines.entries()) {
      const operation = operations[index];
      if (operation === undefined) continue;
      this.#apply(operation, line);
      if ('writeEntry' in operation && operation.writeEntry !== undefined)
        this.state.remember(operation.writeEntry, this.expiry());
    }
  }

  #apply(operation: ReturnType<typeof toOperation>, { seq, at, length }: CountedLine): void {
    const change = this.state.apply(operation, { seq, at, length });
    if (change !== undefined && this.#sealed === undefined) this.#notify(change);
  }

  #remember(entry: SealedEntry): void {
    const { by, id, createdAt } = entry;
    if (this.#sealed !== undefined) {
      if (this.#sealed.push(entry) < this.#nextDrop) return;
      // At the end the log shows this time or a later one.
      const oldest = Math.min(this.expiry(), Date.parse(this.state.lastTimestamp ?? createdAt));
      this.#sealed = this.#sealed.filter((one) => isRecent(one.createdAt, oldest));
      this.#nextDrop = Math.max(FIRST_DROP, 2 * this.#sealed.length);
      return;
    }
    const expiry = this.expiry();
    const writeEntry = isRecent(createdAt, expiry) ? this.keys.open(by, kindOf(id), id) : undefined;
    if (writeEntry !== undefined) this.state.remember(writeEntry, expiry);
  }

  #toStored(operation: Operation): StoredOperation {
    const entry = 'writeEntry' in operation ? operation.writeEntry : undefined;
    const stored = toStored(operation, entry && this.keys.seal(entry));
    const line = operation.action === 'erase' ? this.#eraseTarget(operation.id) : undefined;
    return line === undefined ? stored : { ...stored, line };
  }

  #eraseTarget(id: string): EraseTarget | undefined {
    const item = this.state.find(id);
    return item === undefined || item.seq === 0 ? undefined : this.log.eraseTarget(item);
  }
}

/** No entry is of a later time than its record. */
function isRecent(createdAt: string, now: number): boolean {
  return Date.parse(createdAt) > now - RETENTION_MS - MAX_CLOCK_SKEW_MS;
}

function toSealed(stored: StoredOperation): SealedEntry | undefined {
  if (!('add' in stored) || stored.by === undefined) return undefined;
  const { id, createdAt } = stored.record;
  return { id, by: stored.by, createdAt };
}
