import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import { Blanks } from './blanks.ts';
import type { Disk, DiskFile } from './fs/disk.ts';
import { CorruptionError, isError, shortWriteError } from './fs/errors.ts';
import {
  claimedPlace,
  decodeErased,
  decodeLine,
  encodeLine,
  FIRST_LINE,
  holdsNothing,
  LOG,
  SPACE,
  toEraseTarget,
  withoutText,
  WRITE_START,
  type CountedLine,
  type EraseTarget,
  type Line,
  type Place,
  type StoredOperation,
} from './line.ts';
import { FailedMark, SYNC_FAILED } from './failed-mark.ts';
import { openLogFile, type LogFile } from './open-log.ts';
import type { FolderStoreOptions } from './options.ts';
import { readPieces, type Piece } from './pieces.ts';

/** A line that counts, and the place in the batch of the operation of this process that it holds. */
export interface ReadLine extends CountedLine {
  readonly own?: number;
}

/** If it throws, nothing was applied, and it is called again with the same lines. */
export type ApplyLines = (lines: readonly ReadLine[]) => Promise<void>;

/** A line as this process writes it. It is stored if it stands at this byte, and counts with this number. */
interface PlannedLine {
  readonly line: ReadLine;
  /** Without the line feed. */
  readonly bytes: Buffer;
}

/** By the byte at which the line is to begin. */
type Plan = ReadonlyMap<number, PlannedLine>;

const NO_PLAN: Plan = new Map();

export type OpenOptions = Omit<FolderStoreOptions, 'host'> & Required<Pick<FolderStoreOptions, 'host'>>;

/** Places with no more than this between them are read at once. */
const MAX_GAP_BYTES = 8 * 1024;
const MAX_READ_BYTES = 512 * 1024;

/**
 * The file of lines, as one process knows it. A line counts if its checksum fits, it begins at the byte that
 * it names, and it has the next number; all else is dead. So of two writers at one place, one writes lines
 * that do not count, whatever became of the lock.
 */
export class Log {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #isWritable: boolean;
  readonly #blanks: Blanks;
  /** For bytes that are in memory, as those that were just written are. */
  readonly #fileNow: Pick<DiskFile, 'read'> = {
    read: async (into, at) => this.#file.readNow(into, at),
  };
  /** Behind the last whole piece that was read. */
  #examined = FIRST_LINE.length;
  /** All bytes before it were looked at: the rest behind `#examined` is a piece without its end. */
  #readTo = 0;
  /** What was read before it is synced: a holder syncs what it reads together with what it appends. */
  #syncedTo = FIRST_LINE.length;
  /** Of the file, when it was last looked at. */
  #size = 0;
  /** Of the file with lines of this process that are not synced yet. */
  #inFlight: number | undefined;
  #seq = 0;
  /** The last number that this process has synced, or that a line proves. */
  #base = 0;
  /** Where something dead begins behind the last line that counts. */
  #deadSince: number | undefined;
  /** The last line that counts, by which a log that was written over is recognized. */
  #last: { readonly at: number; readonly bytes: Buffer } | undefined;
  readonly #mark: FailedMark;
  /** The byte from which on a failed sync of this process may have lost what can be read. */
  #failedFrom: number | undefined;
  /** Whether that is marked. A mark that is removed then is not placed again. */
  #hasMarked = false;
  /** What was read is no longer what the file holds. */
  #replaced: CorruptionError | undefined;

  private constructor({ disk, folder, host }: OpenOptions, { file, isWritable }: LogFile) {
    this.#disk = disk;
    this.#path = join(folder, LOG);
    this.#file = file;
    this.#isWritable = isWritable;
    this.#blanks = new Blanks(disk, folder, file);
    this.#mark = new FailedMark(disk, folder, host);
  }

  /** As `openLogFile`. Nothing is read yet. */
  static async open(options: OpenOptions): Promise<Log> {
    return new Log(options, await openLogFile(options));
  }

  /** In bytes, when it was last looked at. */
  get size(): number {
    return this.#size;
  }

  get hasUnfinishedErases(): boolean {
    return this.#blanks.hasUnfinished;
  }

  get hasDeadBytes(): boolean {
    return this.#blanks.hasDead;
  }

  /** Whether something was appended that `readOn` has not seen, or not synced. One system call. */
  hasGrown(): boolean {
    return this.#hasUnsynced || this.#file.size() !== (this.#inFlight ?? this.#size);
  }

  /** Whether lines of others were applied that a failed sync may have lost: they must not be shown. */
  get hasLostLines(): boolean {
    return this.#hasUnsynced && this.#failedFrom !== undefined;
  }

  get #hasUnsynced(): boolean {
    return this.#syncedTo < this.#examined;
  }

  /**
   * Reads all lines, before any other call. The store serves no read before its opening ends, so one sync at
   * the end is enough.
   * @throws CorruptionError if a line that was synced does not count; StoreFailure if the sync fails
   */
  async load(apply: ApplyLines): Promise<void> {
    const size = this.#file.size();
    const end = await this.#readableTo(size);
    /** Where the lines behind `#base` begin, in order. */
    let unproved: number[] = [];
    const collect: ApplyLines = async (lines) => {
      await apply(lines);
      for (const { at } of lines) unproved.push(at);
    };
    while (this.#examined < end && (await this.#readChunk(end, collect, NO_PLAN)))
      unproved = unproved.slice(Math.max(0, unproved.length - (this.#seq - this.#base)));
    this.#syncedTo = unproved[0] ?? this.#examined;
    await this.sync('nothing');
    this.#finish(size, end);
  }

  /**
   * Reads what was appended. It is synced first, whoever wrote it, so nothing is shown that can still be lost.
   * @param isHolder whether this process is about to append, and to sync that with what it reads: until then
   *   `hasGrown`
   * @throws CorruptionError if a line that was synced does not count, or the file was written over;
   *   StoreFailure if the sync fails
   */
  async readOn(apply: ApplyLines, { isHolder = false } = {}): Promise<void> {
    const size = this.#file.size();
    if (size === this.#readTo && (isHolder || !this.#hasUnsynced)) return;
    this.#checkUnchanged(size);
    // A later sync succeeds, and proves nothing.
    if (this.hasLostLines) throw new StoreFailure('nothing', SYNC_FAILED);
    if (!isHolder) await this.sync('nothing');
    const end = await this.#readableTo(size);
    while (this.#examined < end && (await this.#readChunk(end, apply, NO_PLAN)));
    if (!isHolder) this.#finish(size, end);
    else if (end === size) this.#readTo = this.#size = size;
  }

  /** Syncs what a holder has read, if it appends nothing. @throws StoreFailure */
  async settle(): Promise<void> {
    if (!this.#hasUnsynced) return;
    await this.sync('nothing');
    this.#finish(this.#size, this.#readTo);
  }

  /** Syncs what is in the file. @throws StoreFailure if that fails; then the folder is marked */
  async sync(stored: StoreFailure['stored']): Promise<void> {
    try {
      await this.#file.sync();
    } catch (error) {
      // Nothing of this process can be unsynced there.
      if (!this.#isWritable && (isError(error, 'EINVAL') || isError(error, 'EROFS'))) return;
      // Linux reports it once to each open file, and a later sync succeeds though pages are lost.
      this.#failedFrom ??= this.#syncedTo;
      await this.#placeMark(this.#failedFrom);
      throw new StoreFailure(stored, SYNC_FAILED);
    }
  }

  /**
   * Only for the holder of the lock.
   * @throws StoreFailure if a sync failed, or if another file has the name by now, as after a restore or a
   *   repair
   */
  async checkFile(): Promise<void> {
    if (this.#failedFrom !== undefined) await this.#placeMark(this.#failedFrom);
    // The mark comes first: a repair replaces the log, and removes the mark behind that.
    else await this.#mark.clear();
    const [own, found] = [this.#file.status(), await this.#disk.status(this.#path)];
    if (own.inode !== found?.inode || own.device !== found.device)
      throw new StoreFailure('nothing', 'the log of the folder was replaced; restart this process');
    if (this.#failedFrom !== undefined) throw new StoreFailure('nothing', SYNC_FAILED);
  }

  /** Whether a sync failed, of this process or of another one. */
  async isMarked(): Promise<boolean> {
    return this.#failedFrom !== undefined || (await this.#mark.read()) !== undefined;
  }

  /** Syncs what an earlier holder appended, and makes lines that it still appends stand where none counts. */
  async fence(): Promise<void> {
    if ((await this.#file.append(WRITE_START)) < WRITE_START.length) throw shortWriteError();
    await this.sync('nothing');
  }

  /**
   * Appends operations as lines, syncs them, and reads on. Only for the holder of the lock, after `readOn`.
   * @returns how many of the operations are stored, the first ones: none if the file has grown since it was
   *   read, or if another process appended in between. Then they are to be decided again
   * @throws StoreFailure
   */
  async append(operations: readonly StoredOperation[], apply: ApplyLines): Promise<number> {
    const start = this.#file.size();
    if (start !== this.#readTo) return 0;
    this.#checkUnchanged(start);
    const { plan, bytes } = this.#encode(operations, start);
    let stored = 0;
    try {
      const appending = this.#file.append(bytes);
      // Readers do not wait for what this process appends.
      this.#inFlight = start + bytes.length;
      const written = await appending;
      await this.#readOwn(async (lines) => {
        await apply(lines);
        stored += lines.filter(({ own }) => own !== undefined).length;
      }, plan);
      if (stored === 0 && written < bytes.length)
        throw new StoreFailure('nothing', 'the log takes no write', { cause: shortWriteError() });
      // What failed to be stored may be gone from memory, and on the disk all the same.
      if (stored < operations.length && (await this.isMarked()))
        throw new StoreFailure('unknown', SYNC_FAILED);
      return stored;
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const outcome = this.#file.size() === start ? 'nothing' : 'unknown';
      throw new StoreFailure(outcome, 'the log takes no write', { cause: error });
    } finally {
      this.#inFlight = undefined;
    }
  }

  /**
   * Blanks the texts of erased lines, and dead bytes. Only for the holder of the lock.
   * @throws StoreFailure with an unknown outcome: what was appended before is stored
   */
  async blank(): Promise<void> {
    try {
      this.#checkUnchanged(this.#file.size());
      await this.#blanks.write(() => this.sync('unknown'));
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      throw new StoreFailure('unknown', 'an erased text could not be overwritten', { cause: error });
    }
  }

  /**
   * @param place of the line of a record
   * @returns how to erase it, also if bytes of its text are damaged
   * @throws StoreFailure if other bytes of the line are
   */
  eraseTarget({ id, at, length, seq }: Place & { readonly seq: number; readonly id: string }): EraseTarget {
    const bytes = Buffer.alloc(length);
    this.#file.readNow(bytes, at);
    const target = toEraseTarget(bytes, { at, seq });
    const line = decodeErased(bytes, target);
    if (line?.at === at && line.seq === seq && 'add' in line.do && line.do.record.id === id) return target;
    throw new StoreFailure(
      'nothing',
      'the line of this record is damaged, so its text cannot be erased; `porchlight check` finds the place',
    );
  }

  /**
   * Reads lines by place, neighbours with one system call.
   * @returns for each place what stands there; undefined if that is no line, as when its text is erased
   */
  readLines(places: readonly Place[]): (Line | undefined)[] {
    const wanted = places.map(({ at, length }, index) => ({ at, length, index })).sort((a, b) => a.at - b.at);
    const found = new Array<Line | undefined>(places.length).fill(undefined);
    for (let first = 0; first < wanted.length; ) {
      const start = wanted[first]?.at ?? 0;
      let end = start;
      let next = first;
      for (let place = wanted[next]; place !== undefined; place = wanted[++next]) {
        const isFar = place.at - end > MAX_GAP_BYTES || place.at + place.length - start > MAX_READ_BYTES;
        if (next > first && isFar) break;
        end = place.at + place.length;
      }
      const bytes = Buffer.allocUnsafe(end - start);
      const read = this.#file.readNow(bytes, start);
      for (const { at, length, index } of wanted.slice(first, next))
        if (at + length - start <= read)
          found[index] = decodeLine(bytes.subarray(at - start, at + length - start));
      first = next;
    }
    return found;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Syncs what this process has appended, and reads on. That is stored, whatever failed for another one. */
  async #readOwn(apply: ApplyLines, plan: Plan): Promise<void> {
    const size = this.#file.size();
    if (size === this.#readTo) return;
    this.#checkUnchanged(size);
    await this.sync('unknown');
    while (this.#examined < size && (await this.#readChunk(size, apply, plan)));
    this.#finish(size, size);
  }

  /** All lines so far are synced by this process. */
  #finish(size: number, end: number): void {
    this.#base = this.#seq;
    this.#syncedTo = this.#examined;
    if (end === size) this.#readTo = size;
    this.#size = size;
  }

  /** @returns the size, or the byte from which on a failed sync may have lost what can be read */
  async #readableTo(size: number): Promise<number> {
    return Math.min(size, this.#failedFrom ?? Infinity, (await this.#mark.read()) ?? Infinity);
  }

  /** Marks the folder. If it cannot be marked now, the next write tries it again. */
  async #placeMark(from: number): Promise<void> {
    if (this.#hasMarked) return;
    this.#hasMarked = await this.#mark.place(from).then(
      () => true,
      () => false,
    );
  }

  /** @throws CorruptionError, also later, if the file lost what this process has read, as by `cp` over it */
  #checkUnchanged(size: number): void {
    if (this.#replaced === undefined && (size < this.#readTo || this.#hasOtherLast()))
      this.#replaced = new CorruptionError(
        this.#path,
        size < this.#readTo
          ? 'the file became shorter; restart this process'
          : 'the file was written over; restart this process',
        Math.min(size, this.#last?.at ?? size),
      );
    if (this.#replaced !== undefined) throw this.#replaced;
  }

  #hasOtherLast(): boolean {
    if (this.#last === undefined) return false;
    const { at, bytes } = this.#last;
    const found = Buffer.alloc(bytes.length);
    this.#file.readNow(found, at);
    // An erase leaves spaces in place of a text.
    return !found.equals(bytes) && found.some((byte, index) => byte !== bytes[index] && byte !== SPACE);
  }

  #encode(operations: readonly StoredOperation[], start: number): { plan: Plan; bytes: Buffer } {
    const plan = new Map<number, PlannedLine>();
    const pieces: Buffer[] = [WRITE_START];
    let at = start + WRITE_START.length;
    for (const [own, operation] of operations.entries()) {
      const seq = this.#seq + own + 1;
      const encoded = encodeLine({ at, seq, base: this.#base }, operation);
      pieces.push(encoded);
      const bytes = encoded.subarray(0, -1);
      plan.set(at, { line: { at, length: bytes.length, seq, do: operation, own }, bytes });
      at += encoded.length;
    }
    return { plan, bytes: Buffer.concat(pieces) };
  }

  /** @returns whether there may be more to read */
  async #readChunk(end: number, apply: ApplyLines, plan: Plan): Promise<boolean> {
    const begin = this.#examined;
    const read = await readPieces(plan === NO_PLAN ? this.#file : this.#fileNow, begin, end);
    const lines: ReadLine[] = [];
    const dead: Piece[] = [];
    let [seq, base, deadSince] = [this.#seq, this.#base, this.#deadSince];
    let last: Piece | undefined;
    for (const piece of read.pieces) {
      const { at, bytes, length } = piece;
      const planned = plan.get(at);
      const own = (await this.#isOwn(planned, seq + 1, bytes)) ? planned?.line : undefined;
      const line = own === undefined ? await this.#decode(bytes, at, seq + 1) : undefined;
      const counted =
        line?.at === at && line.seq === seq + 1 ? { at, length, seq: seq + 1, do: line.do } : own;
      if (counted !== undefined) {
        ({ seq } = counted);
        base = Math.max(base, line?.base ?? 0);
        deadSince = undefined;
        last = piece;
        lines.push(counted);
      } else if (line !== undefined && line.base > seq) {
        // `base` proves that the lines up to that number were synced in front of this one.
        const what = `line ${seq + 1} was stored, and is damaged or missing`;
        throw new CorruptionError(this.#path, what, deadSince ?? at);
      } else {
        if (bytes === undefined || !holdsNothing(bytes)) deadSince ??= at;
        dead.push(piece);
      }
    }
    await apply(lines);
    this.#seq = seq;
    this.#base = base;
    this.#deadSince = deadSince;
    // A copy, which keeps nothing else in memory.
    if (last?.bytes !== undefined) this.#last = { at: last.at, bytes: Buffer.from(last.bytes) };
    this.#examined = read.end;
    for (const piece of dead) this.#blanks.addDead(piece);
    for (const { do: stored, own } of lines)
      if ('moderate' in stored && stored.line !== undefined)
        this.#blanks.addErased(stored.line, own !== undefined);
    return read.end > begin;
  }

  /**
   * Whether a planned line stands in its place, as it was planned or as an erase has left it since.
   * @param next the number of the line that can count here
   */
  async #isOwn(planned: PlannedLine | undefined, next: number, found: Buffer | undefined): Promise<boolean> {
    if (planned?.line.seq !== next || planned.bytes.length !== found?.length) return false;
    if (planned.bytes.equals(found)) return true;
    const span = (await this.#blanks.findErased(planned.line.at))?.span;
    return span !== undefined && withoutText(planned.bytes, span).equals(withoutText(found, span));
  }

  /** @param next the number of the line that can count here @returns a line, also one that is being erased */
  async #decode(bytes: Buffer | undefined, at: number, next: number): Promise<Line | undefined> {
    if (bytes === undefined) return undefined;
    const line = decodeLine(bytes);
    if (line !== undefined) return line;
    const place = claimedPlace(bytes);
    if (place?.at !== at || place.seq !== next) return undefined;
    const target = await this.#blanks.findErased(at);
    return target && decodeErased(bytes, target);
  }
}
