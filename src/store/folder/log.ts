import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import { Blanks } from './blanks.ts';
import {
  CorruptionError,
  type Disk,
  type DiskFile,
  type FileStatus,
  isError,
  isRefused,
  isSameFile,
  shortWriteError,
} from './fs/disk.ts';
import type { Item } from './item.ts';
import { LineSequence, type ApplyLines, type Plan } from './line-sequence.ts';
import {
  CHUNK_BYTES,
  decodeErased,
  decodeLine,
  FIRST_LINE,
  LOG,
  toEraseTarget,
  WRITE_START,
  type EraseTarget,
  type DecodedLine,
  type Span,
  type StoredOperation,
} from './line.ts';
import { FailureFlag, SYNC_FAILED, SYNC_REFUSED } from './failed-sync.ts';
import type { FolderStoreOptions, LogFile } from './open-log.ts';

/** Lines with at most this many bytes between them are read by one system call. */
const MAX_GAP_BYTES = 8 * 1024;

/** The log of a folder, to which every process appends. It shows only lines that count and are synced. */
export class Log {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  /** Identifies the file even after another file has taken its name. */
  readonly #openedFile: FileStatus;
  readonly #isWritable: boolean;
  readonly blanks: Blanks;
  readonly #lines: LineSequence;
  /** All bytes before this offset are read. The last of them may be a piece without its line feed. */
  #readTo = 0;
  /** Everything read up to this offset is synced. A holder syncs what it reads together with its appends. */
  #syncedTo = FIRST_LINE.length;
  #size = 0;
  /** The size of the file including what this process is appending. */
  #inFlight: number | undefined;
  readonly #flag: FailureFlag;
  /** After a failed sync of this process: the offset from which bytes that can be read may be lost. */
  #failedFrom: number | undefined;
  /** Whether the last sync was refused to this process. Nothing is appended before one succeeds. */
  #isSyncRefused = false;
  /** Whether this process has written the flag. It does so only once, since an operator may remove it. */
  #hasFlagged = false;
  /** Set once the file no longer contains what was read from it. */
  #replaced: CorruptionError | undefined;

  constructor({ disk, folder, host }: FolderStoreOptions, { file, isWritable }: LogFile) {
    this.#disk = disk;
    this.#path = join(folder, LOG);
    this.#file = file;
    this.#openedFile = file.status();
    this.#isWritable = isWritable;
    this.blanks = new Blanks(disk, folder, file);
    this.#lines = new LineSequence(this.#path, file, this.blanks);
    this.#flag = new FailureFlag(disk, folder, host);
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the file has bytes that were not read or not synced. One system call. */
  hasGrown(): boolean {
    return this.#hasUnsynced || this.#file.size() !== (this.#inFlight ?? this.#size);
  }

  /** Whether lines were applied that may be lost after a failed sync, or with a replaced file. */
  get hasLostLines(): boolean {
    return this.#hasUnsynced && (this.#failedFrom !== undefined || this.#replaced !== undefined);
  }

  get #hasUnsynced(): boolean {
    return this.#syncedTo < this.#lines.examined;
  }

  /**
   * Reads all lines. It must be the first call. One sync at the end is enough, since no read is served yet.
   * @throws CorruptionError if a line that was synced does not count; StoreFailure if the sync fails
   */
  async load(apply: ApplyLines): Promise<void> {
    const size = this.#file.size();
    const end = await this.#readableTo(size);
    /** The offsets of the lines that are not known to be synced, in order. */
    let unproved: number[] = [];
    const collect: ApplyLines = async (lines) => {
      await apply(lines);
      for (const { offset } of lines) unproved.push(offset);
    };
    while (this.#lines.examined < end && (await this.#lines.readChunk(end, collect)))
      unproved = unproved.slice(Math.max(0, unproved.length - this.#lines.unproved));
    this.#syncedTo = unproved[0] ?? this.#lines.examined;
    await this.sync('nothing');
    this.#finish(size, end);
  }

  /**
   * Reads what any process has appended. Syncs it first, so that no read shows what can still be lost.
   * @throws CorruptionError if a line that was synced does not count, or the file was written over;
   *   StoreFailure if the sync fails
   */
  async catchUp(apply: ApplyLines): Promise<void> {
    const size = this.#file.size();
    if (size === this.#readTo && !this.#hasUnsynced) return;
    this.#checkReadable(size);
    await this.sync('nothing');
    this.#finish(size, await this.#readNewLines(size, apply));
  }

  /**
   * Reads what any process has appended, for the holder of the lock. `append` or `syncRead` must follow, which
   * sync what was read; until then `hasGrown` is true.
   * @throws as `catchUp`, and StoreFailure if this process may not append
   */
  async readAsHolder(apply: ApplyLines): Promise<void> {
    await this.#checkFile();
    const size = this.#file.size();
    if (size === this.#readTo) return;
    this.#checkReadable(size);
    if ((await this.#readNewLines(size, apply)) === size) this.#readTo = this.#size = size;
    // What was read may be the last bytes before a repair replaced the log. A repair that begins later first
    // appends to this file, so every line of the next batch would name the wrong byte.
    await this.#checkFile();
  }

  /** Syncs what a holder has read, if no `append` follows. @throws StoreFailure */
  async syncRead(): Promise<void> {
    if (!this.#hasUnsynced) return;
    await this.sync('nothing');
    this.#finish(this.#size, this.#readTo);
  }

  /** Syncs the file. If the disk fails, marks the folder. @throws StoreFailure */
  async sync(stored: StoreFailure['stored']): Promise<void> {
    try {
      await this.#file.sync();
      this.#isSyncRefused = false;
    } catch (error) {
      if (isRefused(error)) {
        this.#isSyncRefused = true;
        throw new StoreFailure(stored, SYNC_REFUSED);
      }
      // A read-only file system cannot sync, and this process has written nothing to it.
      if (!this.#isWritable && isError(error, 'EINVAL', 'EROFS')) return;
      // Linux reports the failure only once to each open file. A later sync succeeds although pages are lost.
      this.#failedFrom ??= this.#syncedTo;
      await this.#writeFlag(this.#failedFrom);
      throw new StoreFailure(stored, SYNC_FAILED);
    }
  }

  /**
   * Checks that this process, which holds the lock, may append.
   * @throws StoreFailure if a sync failed, or if another file has the name, as after a restore or a repair
   */
  async #checkFile(): Promise<void> {
    if (this.#failedFrom !== undefined) await this.#writeFlag(this.#failedFrom);
    // Read before the name: a repair replaces the log before it removes the flag.
    else await this.#flag.clear();
    if (!isSameFile(this.#openedFile, await this.#disk.status(this.#path)))
      throw new StoreFailure('nothing', 'the log of the folder was replaced; restart this process');
    if (this.#failedFrom !== undefined) throw new StoreFailure('nothing', SYNC_FAILED);
    if (this.#isSyncRefused) await this.sync('nothing');
  }

  async isFlagged(): Promise<boolean> {
    return this.#failedFrom !== undefined || (await this.#flag.read()) !== undefined;
  }

  /** Appends `#` and syncs: lines that an earlier holder appends from now on name the wrong byte. */
  async fence(): Promise<void> {
    if ((await this.#file.append(WRITE_START)) < WRITE_START.length) throw shortWriteError();
    await this.sync('nothing');
  }

  /**
   * Appends operations as lines, syncs them, and reads the lines back. For the holder, after `readAsHolder`.
   * @returns how many of them, from the first on, are stored. The others lost to lines of another process
   * @throws StoreFailure
   */
  async append(operations: readonly StoredOperation[], apply: ApplyLines): Promise<number> {
    const start = this.#file.size();
    if (start !== this.#readTo) return 0;
    this.#checkUnchanged(start);
    const { plan, bytes } = this.#lines.plan(operations, start);
    let stored = 0;
    try {
      const appending = this.#file.append(bytes);
      // `hasGrown` stays false, so that reads do not wait for this batch.
      this.#inFlight = start + bytes.length;
      const written = await appending;
      await this.#readAppended(async (lines) => {
        await apply(lines);
        stored += lines.filter(({ batchIndex }) => batchIndex !== undefined).length;
      }, plan);
      if (stored === 0 && written < bytes.length)
        throw new StoreFailure('nothing', 'the log cannot be written', { cause: shortWriteError() });
      // After a failed sync a line that cannot be read may still be on the disk.
      if (stored < operations.length && (await this.isFlagged().catch(() => true)))
        throw new StoreFailure('unknown', SYNC_FAILED);
      return stored;
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const outcome = this.#file.size() === start ? 'nothing' : 'unknown';
      throw new StoreFailure(outcome, 'the log cannot be written', { cause: error });
    } finally {
      this.#inFlight = undefined;
    }
  }

  /**
   * Overwrites dead bytes and the texts of erased lines. Only for the holder of the lock.
   * @throws StoreFailure with an unknown outcome, since what was appended before is stored
   */
  async blank(): Promise<void> {
    if (!this.blanks.hasUnfinished && !this.blanks.hasDead) return;
    try {
      this.#checkUnchanged(this.#file.size());
      await this.blanks.write(() => this.sync('unknown'));
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      throw new StoreFailure('unknown', 'an erased text could not be overwritten', { cause: error });
    }
  }

  /** @throws StoreFailure if bytes of the line outside of the text are damaged */
  eraseTarget({ id, offset, length, seq }: Pick<Item, 'id' | 'seq' | keyof Span>): EraseTarget {
    const bytes = Buffer.alloc(length);
    this.#file.readNow(bytes, offset);
    const target = toEraseTarget(bytes, { offset, seq });
    const line = decodeErased(bytes, target);
    if (line?.offset === offset && line.seq === seq && 'add' in line.do && line.do.record.id === id)
      return target;
    throw new StoreFailure(
      'nothing',
      'the line of this record is damaged, so its text cannot be erased; `porchlight check` finds the place',
    );
  }

  /** Reads adjacent lines by one system call. @returns undefined for a wrong checksum, as after an erase */
  readLines(spans: readonly Span[]): (DecodedLine | undefined)[] {
    const indexed = spans.map(({ offset, length }, index) => ({ offset, length, index }));
    const wanted = indexed.sort((a, b) => a.offset - b.offset);
    const found = new Array<DecodedLine | undefined>(spans.length).fill(undefined);
    for (let first = 0; first < wanted.length; ) {
      const start = wanted[first]?.offset ?? 0;
      let end = start;
      let next = first;
      for (let span = wanted[next]; span !== undefined; span = wanted[++next]) {
        const isFar = span.offset - end > MAX_GAP_BYTES || span.offset + span.length - start > CHUNK_BYTES;
        if (next > first && isFar) break;
        end = span.offset + span.length;
      }
      const bytes = Buffer.allocUnsafe(end - start);
      const read = this.#file.readNow(bytes, start);
      for (const { offset, length, index } of wanted.slice(first, next))
        if (offset + length - start <= read)
          found[index] = decodeLine(bytes.subarray(offset - start, offset + length - start));
      first = next;
    }
    return found;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Syncs and reads what this process has appended, whether or not another process has written the flag. */
  async #readAppended(apply: ApplyLines, plan: Plan): Promise<void> {
    const size = this.#file.size();
    if (size === this.#readTo) return;
    this.#checkUnchanged(size);
    await this.sync('unknown');
    while (this.#lines.examined < size && (await this.#lines.readChunk(size, apply, plan)));
    this.#finish(size, size);
  }

  /** @throws CorruptionError, StoreFailure if what this process has read may be lost */
  #checkReadable(size: number): void {
    this.#checkUnchanged(size);
    // After a failed sync a later one succeeds but proves nothing.
    if (this.hasLostLines) throw new StoreFailure('nothing', SYNC_FAILED);
  }

  /** @returns the offset up to which lines could be read */
  async #readNewLines(size: number, apply: ApplyLines): Promise<number> {
    const end = await this.#readableTo(size);
    while (this.#lines.examined < end && (await this.#lines.readChunk(end, apply)));
    return end;
  }

  #finish(size: number, end: number): void {
    this.#lines.noteSynced();
    this.#syncedTo = this.#lines.examined;
    if (end === size) this.#readTo = size;
    this.#size = size;
  }

  /** @returns the size, or the offset where a failed sync may have lost bytes */
  async #readableTo(size: number): Promise<number> {
    return Math.min(size, this.#failedFrom ?? Infinity, (await this.#flag.read()) ?? Infinity);
  }

  /** Writes the flag. If that fails, the next write tries again. */
  async #writeFlag(from: number): Promise<void> {
    if (this.#hasFlagged) return;
    this.#hasFlagged = await this.#flag.write(from).then(
      () => true,
      () => false,
    );
  }

  /** @throws CorruptionError now and in all later calls if the file lost what was read, as after `cp` */
  #checkUnchanged(size: number): void {
    if (this.#replaced === undefined && (size < this.#readTo || this.#lines.isLastLineOverwritten()))
      this.#replaced = new CorruptionError(
        this.#path,
        size < this.#readTo
          ? 'the file became shorter; restart this process'
          : 'the file was overwritten; restart this process',
        Math.min(size, this.#lines.lastOffset ?? size),
      );
    if (this.#replaced !== undefined) throw this.#replaced;
  }
}
