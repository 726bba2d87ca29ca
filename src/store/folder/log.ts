import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import { Blanks } from './blanks.ts';
import type { Disk, DiskFile } from './fs/disk.ts';
import { CorruptionError, shortWriteError } from './fs/errors.ts';
import {
  claimedPlace,
  decodeErased,
  decodeLine,
  encodeLine,
  FIRST_LINE,
  holdsNothing,
  identityOf,
  LOG,
  toEraseTarget,
  WRITE_START,
  type CountedLine,
  type EraseTarget,
  type Line,
  type Place,
  type StoredOperation,
} from './line.ts';
import { FailedMark, SYNC_FAILED } from './failed-mark.ts';
import type { Lock } from './lock.ts';
import { openLogFile } from './open-log.ts';
import type { FolderStoreOptions } from './options.ts';
import { readPieces } from './pieces.ts';

/** @throws Error if it applied nothing: it gets the same lines again */
export type ApplyLines = (lines: readonly CountedLine[]) => Promise<void>;

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
  readonly #lock: Lock;
  readonly #blanks: Blanks;
  /** All bytes before it were looked at. */
  #examined = FIRST_LINE.length;
  /** Of the file, when it was last looked at. */
  #size = 0;
  /** Of the file with lines of this process that are not synced yet. */
  #inFlight: number | undefined;
  #seq = 0;
  /** The last number that this process has synced, or that a line proves. */
  #base = 0;
  /** Where something dead begins behind the last line that counts. */
  #deadSince: number | undefined;
  /** Where the lines behind `#base` begin, in order. */
  #unproved: number[] = [];
  readonly #mark: FailedMark;
  /** A sync failed, and the mark could not be placed. */
  #isUnmarked = false;

  private constructor({ disk, folder, host }: OpenOptions, path: string, file: DiskFile, lock: Lock) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.#lock = lock;
    this.#blanks = new Blanks(disk, folder, file);
    this.#mark = new FailedMark(disk, folder, host);
  }

  /** As `openLogFile`. It takes no lock, and nothing is read yet. */
  static async open(options: OpenOptions, lock: Lock): Promise<Log> {
    return new Log(options, join(options.folder, LOG), await openLogFile(options), lock);
  }

  /** In bytes, when it was last looked at. */
  get size(): number {
    return this.#size;
  }

  get hasUnfinishedErases(): boolean {
    return this.#blanks.hasUnfinished;
  }

  /** Whether something was appended that `readOn` has not seen. One system call. */
  hasGrown(): boolean {
    return this.#file.size() !== (this.#inFlight ?? this.#size);
  }

  /**
   * Reads what was appended. Nothing is read that can still be lost: while a lock exists, its holder may not
   * have synced, so this process does.
   * @param isHolder whether this process has the lock: then what it reads is synced, or it is about to sync
   *   it
   * @throws CorruptionError if a line that was synced does not count; StoreFailure if a sync fails
   */
  async readOn(apply: ApplyLines, { isHolder = false, isOpening = false } = {}): Promise<void> {
    const size = this.#file.size();
    if (size < this.#examined)
      throw new CorruptionError(this.#path, 'the file became shorter; restart this process', size);
    if (size === this.#size && !isOpening) return;
    await this.#ensureMarked();
    // The system does not report earlier failures of a sync to a file that was opened after them.
    if (isOpening) await this.#lock.untilLeft();
    const syncs = !isHolder && !isOpening && (await this.#lock.exists());
    if (syncs) await this.sync('nothing');
    const end = isHolder ? size : Math.min(size, (await this.#mark.read()) ?? size);
    while (this.#examined < end && (await this.#readChunk(end, apply)));
    // The store serves no read before its opening ends, so one sync at the end is enough.
    if (isOpening) await this.sync('nothing');
    if (syncs || isOpening) this.#prove();
    this.#size = size;
  }

  /** Syncs what is in the file. @throws StoreFailure if that fails; then the folder is marked */
  async sync(stored: StoreFailure['stored']): Promise<void> {
    try {
      await this.#file.sync();
    } catch {
      // Linux reports it once to each open file, and a later sync succeeds though pages are lost.
      this.#isUnmarked = true;
      // The disk fails: what comes next tries again.
      await this.#ensureMarked().catch(() => undefined);
      throw new StoreFailure(stored, SYNC_FAILED);
    }
  }

  /** Whether a sync failed, and no other process can know. Then this one keeps the lock. */
  get isUnmarked(): boolean {
    return this.#isUnmarked;
  }

  /**
   * Only for the holder of the lock.
   * @throws StoreFailure if a sync failed, or if another file has the name by now, as after a restore or a
   *   repair
   */
  async checkFile(): Promise<void> {
    await this.#ensureMarked();
    await this.#mark.clear();
    const [own, found] = [this.#file.status(), await this.#disk.status(this.#path)];
    if (own.inode === found?.inode && own.device === found.device) return;
    throw new StoreFailure('nothing', 'the log of the folder was replaced; restart this process');
  }

  /** Makes lines of an earlier holder, which still writes, stand where they do not count. */
  async fence(): Promise<void> {
    if ((await this.#file.append(WRITE_START)) < WRITE_START.length) throw shortWriteError();
  }

  /**
   * Appends operations as lines, and syncs them. Only for the holder of the lock, after `readOn`.
   * @param apply is given what other writers appended, and then the lines of this one too
   * @returns the lines, if this process was alone: nothing was applied; otherwise how many of them count, the
   *   first ones, and all that counts was applied
   * @throws StoreFailure
   */
  async append(operations: readonly StoredOperation[], apply: ApplyLines): Promise<CountedLine[] | number> {
    const start = this.#file.size();
    const wasRead = start === this.#size;
    const { lines, bytes } = this.#encode(operations, start);
    const end = start + bytes.reduce((sum, { length }) => sum + length, 0);
    try {
      const appending = this.#file.append(Buffer.concat(bytes));
      // Readers do not wait for what this process appends.
      this.#inFlight = end;
      const written = await appending;
      const isAlone = wasRead && start + written === end && this.#file.size() === end;
      await this.sync('unknown');
      if (isAlone) return this.#accept(lines, start, end);
      this.#inFlight = undefined;
      const count = await this.#findOwn(operations, apply);
      if (count > 0 || start + written === end) return count;
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const stored = this.#file.size() === start ? 'nothing' : 'unknown';
      throw new StoreFailure(stored, 'the log takes no write', { cause: error });
    } finally {
      this.#inFlight = undefined;
    }
    throw new StoreFailure('nothing', 'the log takes no write', { cause: shortWriteError() });
  }

  /**
   * Blanks the texts of erased lines, and dead bytes. Only for the holder of the lock.
   * @param before as of `Blanks.write`
   * @throws StoreFailure
   */
  blank(before: number): Promise<void> {
    return this.#blanks.write(before, () => this.sync('unknown'));
  }

  /** @returns how to erase a record whose line is given; undefined if its text is erased already */
  eraseTarget({ at, length, seq }: Place & { readonly seq: number }): EraseTarget | undefined {
    const bytes = Buffer.alloc(length);
    this.#file.readNow(bytes, at);
    return decodeLine(bytes)?.seq === seq ? toEraseTarget(bytes, { at, seq }) : undefined;
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

  #encode(operations: readonly StoredOperation[], start: number): { lines: CountedLine[]; bytes: Buffer[] } {
    const lines: CountedLine[] = [];
    const bytes: Buffer[] = [WRITE_START];
    let at = start + WRITE_START.length;
    for (const operation of operations) {
      const seq = this.#seq + lines.length + 1;
      const line = encodeLine({ at, seq, base: this.#base }, operation);
      bytes.push(line);
      lines.push({ at, length: line.length - 1, seq, do: operation });
      at += line.length;
    }
    return { lines, bytes };
  }

  /**
   * Reads on, after another process appended at the same time or the disk took a part only.
   * @returns how many of these operations count
   */
  async #findOwn(operations: readonly StoredOperation[], apply: ApplyLines): Promise<number> {
    const own = new Set(operations.map(identityOf));
    const counted: CountedLine[] = [];
    await this.readOn(
      async (lines) => {
        // What another process appended since may not be synced.
        await this.sync('unknown');
        await apply(lines);
        counted.push(...lines.filter((line) => own.has(identityOf(line.do))));
      },
      { isHolder: true },
    );
    this.#prove();
    // Lines that were displaced never count, and are decided again.
    const isDisplaced = counted.length < operations.length;
    await this.blank(isDisplaced ? this.#examined : (counted[0]?.at ?? 0));
    return counted.length;
  }

  /** All lines so far are synced by this process. */
  #prove(): void {
    this.#base = this.#seq;
    this.#unproved = [];
  }

  /** @throws StoreFailure if a sync failed and the folder cannot be marked: what can be read may be lost */
  async #ensureMarked(): Promise<void> {
    if (!this.#isUnmarked) return;
    await this.#mark.place(this.#unproved[0] ?? this.#examined).catch(() => {
      throw new StoreFailure('nothing', SYNC_FAILED);
    });
    this.#isUnmarked = false;
  }

  /** Takes lines of this process that stand where they were expected and are synced. */
  #accept(lines: CountedLine[], start: number, end: number): CountedLine[] {
    // A fragment that a crash left ends with the beginning of the write.
    if (this.#examined < start)
      this.#blanks.addDead({ at: this.#examined, bytes: undefined, length: start + 1 - this.#examined });
    this.#seq += lines.length;
    this.#prove();
    this.#examined = this.#size = end;
    this.#deadSince = undefined;
    for (const { do: stored } of lines)
      if ('moderate' in stored && stored.line !== undefined) this.#blanks.addErased(stored.line);
    return lines;
  }

  /** @returns whether there may be more to read */
  async #readChunk(end: number, apply: ApplyLines): Promise<boolean> {
    const begin = this.#examined;
    const read = await readPieces(this.#file, begin, end);
    const lines: CountedLine[] = [];
    const dead: typeof read.pieces = [];
    let [seq, base, deadSince] = [this.#seq, this.#base, this.#deadSince];
    for (const piece of read.pieces) {
      const { at, bytes, length } = piece;
      const line = await this.#decode(bytes, at, seq + 1);
      if (line?.at === at && line.seq === seq + 1) {
        ({ seq } = line);
        base = Math.max(base, line.base);
        deadSince = undefined;
        lines.push({ at, length, seq, do: line.do });
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
    [this.#seq, this.#base, this.#deadSince, this.#examined] = [seq, base, deadSince, read.end];
    this.#unproved = [...this.#unproved, ...lines.map(({ at }) => at)].slice(base - seq || Infinity);
    for (const piece of dead) this.#blanks.addDead(piece);
    for (const { do: stored } of lines)
      if ('moderate' in stored && stored.line !== undefined) this.#blanks.addErased(stored.line);
    return read.end > begin;
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
