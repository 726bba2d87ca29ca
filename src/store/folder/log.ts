import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';
import { placeFile, removeFile, writeAll } from './fs/atomic-files.ts';
import type { Disk, DiskFile } from './fs/disk.ts';
import { CorruptionError, isError, shortWriteError } from './fs/errors.ts';
import {
  blankedBytes,
  claimedPlace,
  decodeErased,
  decodeLine,
  encodeLine,
  FIRST_LINE,
  holdsNothing,
  identityOf,
  LOG,
  toEraseTarget,
  withoutText,
  WRITE_START,
  type EraseTarget,
  type Line,
  type StoredOperation,
} from './line.ts';
import { LOCK, SYNC_FAILED, type Lock } from './lock.ts';
import type { FolderStoreOptions } from './options.ts';
import { readFully, readPieces } from './pieces.ts';

/** Where a line stands. */
export interface Place {
  readonly at: number;
  /** In bytes, without the line feed. */
  readonly length: number;
}

/** A line that counts. */
export interface CountedLine extends Place {
  readonly seq: number;
  readonly do: StoredOperation;
}

/** @throws Error if it applied nothing: it gets the same lines again */
export type ApplyLines = (lines: readonly CountedLine[]) => Promise<void>;

/** Whether `readOn` syncs before it reads: if a lock exists, or in any case, or not since the holder reads. */
export type SyncFirst = 'if locked' | 'always' | 'never';

interface Range {
  readonly from: number;
  readonly to: number;
}

const SECOND_EDITION = /^log-\d{6,}\.jsonl$/;
/** Stands in every line that erases another one, and in no other. */
const ERASES = '"line":{"at":';
const HOUR_MS = 60 * 60 * 1000;
/** Places with no more than this between them are read at once. */
const MAX_GAP_BYTES = 8 * 1024;
const MAX_READ_BYTES = 512 * 1024;

const EARLIER_EDITION =
  'an earlier version of this program wrote the data of this folder. Export it with that version: in a ' +
  'checkout of it `node bin/porchlight.js export backup.jsonl --data-dir FOLDER`, with ' +
  '`compose.yaml` and its image `docker compose exec -T porchlight porchlight export - > backup.jsonl`; then ' +
  'import the file into an empty folder with `porchlight import`. An export does not hold the limits and ' +
  'retries of the last 24 hours, reports, denials and the position of a mirror';

/**
 * The file of lines, as one process knows it. A line counts if its checksum fits, it begins at the byte that it
 * names, and it has the next number; all else is dead. So of two writers at one place, one writes lines that do
 * not count. In place only blanks are written, over dead bytes and erased texts.
 */
export class Log {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #lock: Lock;
  /** All bytes before it were looked at. */
  #examined = FIRST_LINE.length;
  /** Of the file, when it was last looked at. */
  #size = 0;
  /** Of the file with lines of this process that are not synced yet. */
  #inFlight: number | undefined;
  #seq = 0;
  /** The last number that this process has synced, or that a line proves. */
  #base = 0;
  /** Pieces that do not count and hold something. */
  #dead: Range[] = [];
  /** Where the first of them begins behind the last line that counts. */
  #deadSince: number | undefined;
  /** By first byte, the lines that erase lines name, up to the byte `#erasuresTo`. */
  readonly #erased = new Map<number, EraseTarget>();
  #erasuresTo = FIRST_LINE.length;
  /** Erased lines that were not seen blank. */
  #unfinished: EraseTarget[] = [];

  private constructor(disk: Disk, folder: string, file: DiskFile, lock: Lock) {
    this.#disk = disk;
    this.#path = join(folder, LOG);
    this.#file = file;
    this.#lock = lock;
  }

  /**
   * Opens the log of a folder without its lock, and makes it if there is none.
   * @throws CorruptionError if the folder holds something else; nothing is changed
   */
  static async open(
    { disk, folder, mustExist = false, clock }: FolderStoreOptions,
    lock: Lock,
  ): Promise<Log> {
    const names = await disk.list(folder).catch((error: unknown) => {
      if (isError(error, 'ENOENT')) return [] as string[];
      throw error;
    });
    if (names.some((name) => SECOND_EDITION.test(name))) throw new CorruptionError(folder, EARLIER_EDITION);
    if (!names.includes(LOG)) {
      if (mustExist) throw new CorruptionError(folder, 'there is no store in this folder');
      await disk.makeFolder(folder);
      await placeFile(disk, folder, LOG, FIRST_LINE);
    }
    await removeOldLocks(disk, folder, names, clock.now() - HOUR_MS);
    const path = join(folder, LOG);
    const file = await disk.open(path, 'append').catch((error: unknown) => {
      if (['EACCES', 'EPERM', 'EROFS'].some((code) => isError(error, code))) return disk.open(path, 'read');
      throw error;
    });
    try {
      if (file.size() === 0 && !mustExist) await file.append(FIRST_LINE);
      await checkFirstLine(file, path);
      return new Log(disk, folder, file, lock);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** In bytes, when it was last looked at. */
  get size(): number {
    return this.#size;
  }

  /** The number of the last line. */
  get seq(): number {
    return this.#seq;
  }

  get hasUnfinishedErases(): boolean {
    return this.#unfinished.length > 0;
  }

  /** Whether something was appended that `readOn` has not seen. One system call. */
  hasGrown(): boolean {
    return this.#file.size() !== (this.#inFlight ?? this.#size);
  }

  /**
   * Reads what was appended. Nothing is read that can still be lost: while a lock exists, its holder may not have
   * synced, so this process does.
   * @throws CorruptionError if a line that was synced does not count; StoreFailure if a sync fails
   */
  async readOn(apply: ApplyLines, syncFirst: SyncFirst): Promise<void> {
    const size = this.#file.size();
    if (size < this.#examined)
      throw new CorruptionError(this.#path, 'the file became shorter; restart this process', size);
    if (size === this.#size && syncFirst !== 'always') return;
    const syncs = syncFirst === 'always' || (syncFirst === 'if locked' && (await this.#lock.exists()));
    if (syncs) await this.sync('nothing');
    const failedFrom = syncFirst === 'never' ? undefined : await this.#lock.failedFrom();
    const end = Math.min(size, failedFrom ?? size);
    while (this.#examined < end && (await this.#readChunk(end, apply)));
    if (syncs) this.#base = this.#seq;
    this.#size = size;
  }

  /** Syncs what is in the file. @throws StoreFailure if that fails; then the lock is marked */
  async sync(stored: StoreFailure['stored']): Promise<void> {
    try {
      await this.#file.sync();
    } catch (error) {
      // Linux reports it once to each open file, and a later sync succeeds though pages are lost.
      await this.#lock.fail(this.#examined).catch(() => undefined);
      throw new StoreFailure(stored, SYNC_FAILED, { cause: error });
    }
  }

  /** @throws StoreFailure if another file has the name by now, as after a restore or a repair */
  async checkFile(): Promise<void> {
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
    const lines: CountedLine[] = [];
    const parts: Buffer[] = [WRITE_START];
    let at = start + WRITE_START.length;
    for (const operation of operations) {
      const seq = this.#seq + lines.length + 1;
      const line = encodeLine({ at, seq, base: this.#base }, operation);
      parts.push(line);
      lines.push({ at, length: line.length - 1, seq, do: operation });
      at += line.length;
    }
    const bytes = Buffer.concat(parts);
    const wasRead = start === this.#size;
    let written: number;
    try {
      const appending = this.#file.append(bytes);
      this.#inFlight = at;
      written = await appending;
      // Nothing that another process appended is shown before it is synced.
      const isAlone = wasRead && written === bytes.length && this.#file.size() === at;
      await this.sync('unknown');
      if (isAlone) return this.#accept(lines, start);
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const stored = this.#file.size() === start ? 'nothing' : 'unknown';
      throw new StoreFailure(stored, String(error), { cause: error });
    } finally {
      this.#inFlight = undefined;
    }
    const count = await this.#findOwn(lines, start, parts.slice(1), apply);
    if (count > 0 || written === bytes.length) return count;
    throw new StoreFailure('nothing', 'the disk is full', { cause: shortWriteError() });
  }

  /**
   * Blanks the texts of erased lines, and dead bytes, in which no text may stay. Only for the holder of the lock.
   * @param before the byte at which a line of this process begins: what is dead before it will never count
   * @throws StoreFailure
   */
  async blank(before: number): Promise<void> {
    const erased = this.#unfinished;
    const dead = this.#dead.filter(({ to }) => to <= before);
    if (erased.length === 0 && dead.length === 0) return;
    // An erase line that is lost after its text would leave a line that does not count.
    if (erased.length > 0) await this.sync('unknown');
    await this.#overwrite(
      [...dead, ...erased.map(({ at, length }) => ({ from: at, to: at + length }))],
      erased,
    );
    this.#dead = this.#dead.filter((range) => !dead.includes(range));
    this.#unfinished = [];
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

  /** Writes what counts into another file, byte by byte, with blanks for what is dead or erased. */
  async copyTo(target: DiskFile): Promise<void> {
    const blanks = [
      ...this.#dead.map((range) => ({ ...range, blank: blankedBytes })),
      ...this.#unfinished.map(({ at, length, span }) => ({
        from: at,
        to: at + length,
        blank: (bytes: Buffer) => withoutText(bytes, span),
      })),
    ].sort((a, b) => a.from - b.from);
    let at = 0;
    for (const { from, to, blank } of [
      ...blanks,
      { from: this.#examined, to: this.#examined, blank: blankedBytes },
    ]) {
      for (let length: number; (length = Math.min(from - at, MAX_READ_BYTES)) > 0; at += length)
        await writeAll(target, await readFully(this.#file, at, length));
      await writeAll(target, blank(await readFully(this.#file, from, to - from)));
      at = to;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** @returns whether there may be more to read */
  async #readChunk(end: number, apply: ApplyLines): Promise<boolean> {
    const lines: CountedLine[] = [];
    const dead: Range[] = [];
    const unfinished: EraseTarget[] = [];
    let [seq, base, deadSince] = [this.#seq, this.#base, this.#deadSince];
    const read = await readPieces(this.#file, this.#examined, end);
    for (const { at, length, bytes } of read.pieces) {
      let line = bytes && decodeLine(bytes);
      if (bytes !== undefined && line === undefined && claimedNumber(bytes, at) === seq + 1) {
        const target = await this.#findErasure(at);
        line = target && decodeErased(bytes, target);
      }
      if (line?.at === at && line.seq === seq + 1) {
        ({ seq } = line);
        base = Math.max(base, line.base);
        deadSince = undefined;
        lines.push({ at, length, seq, do: line.do });
        const target = 'moderate' in line.do ? line.do.line : undefined;
        if (target !== undefined && !this.#isBlank(target)) unfinished.push(target);
      } else if (line?.at === at && line.seq > seq && line.base > seq) {
        throw new CorruptionError(
          this.#path,
          `line ${seq + 1} was stored, and is damaged or missing`,
          deadSince ?? at,
        );
      } else if (bytes === undefined || !holdsNothing(bytes)) {
        deadSince ??= at;
        dead.push({ from: at, to: at + length });
      }
    }
    await apply(lines);
    const isFurther = read.end > this.#examined;
    [this.#seq, this.#base, this.#deadSince, this.#examined] = [seq, base, deadSince, read.end];
    this.#dead.push(...dead);
    this.#unfinished.push(...unfinished);
    return isFurther;
  }

  /** Takes lines of this process that stand where they were expected and are synced. */
  #accept(lines: CountedLine[], start: number): CountedLine[] {
    // A fragment that a crash left ends with the beginning of the write.
    if (this.#examined < start) this.#dead.push({ from: this.#examined, to: start + 1 });
    this.#seq = this.#base = this.#seq + lines.length;
    const last = lines.at(-1);
    this.#examined = this.#size = last === undefined ? start + WRITE_START.length : last.at + last.length + 1;
    this.#deadSince = undefined;
    for (const { do: stored } of lines)
      if ('moderate' in stored && stored.line !== undefined) this.#unfinished.push(stored.line);
    return lines;
  }

  /**
   * Reads on, after another process appended at the same time or the disk took a part only.
   * @returns how many lines of this process count; those that stand elsewhere are blanked
   */
  async #findOwn(
    lines: readonly CountedLine[],
    start: number,
    parts: readonly Buffer[],
    apply: ApplyLines,
  ): Promise<number> {
    const own = new Set(lines.map((line) => identityOf(line.do)));
    let count = 0;
    await this.readOn(async (read) => {
      await apply(read);
      for (const line of read) if (own.has(identityOf(line.do))) count += 1;
    }, 'always');
    if (count === lines.length) return count;
    const dead = this.#dead.filter(({ from }) => from >= start);
    const displaced: Range[] = [];
    for (const range of dead) {
      const bytes = await readFully(this.#file, range.from, range.to - range.from);
      if (parts.some((part) => part.subarray(0, -1).equals(bytes))) displaced.push(range);
    }
    await this.#overwrite(displaced, []);
    return count;
  }

  /** @param erased lines of which only the text is blanked */
  async #overwrite(ranges: readonly Range[], erased: readonly EraseTarget[]): Promise<void> {
    if (ranges.length === 0) return;
    try {
      const file = await this.#disk.open(this.#path, 'overwrite');
      try {
        for (const { from, to } of ranges) {
          const bytes = await readFully(file, from, to - from);
          const target = erased.find(({ at }) => at === from);
          const blank = target === undefined ? blankedBytes(bytes) : withoutText(bytes, target.span);
          for (let at = 0; at < blank.length; ) at += await file.overwrite(blank.subarray(at), from + at);
        }
        if (erased.length > 0) await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new StoreFailure('unknown', 'an erased text could not be overwritten', { cause: error });
    }
  }

  #isBlank({ at, length, span }: EraseTarget): boolean {
    const bytes = Buffer.alloc(length);
    this.#file.readNow(bytes, at);
    return withoutText(bytes, span).equals(bytes);
  }

  /** @returns what an erase line says of the line at a byte. It was synced before its text was blanked. */
  async #findErasure(at: number): Promise<EraseTarget | undefined> {
    const size = this.#file.size();
    while (this.#erasuresTo < size) {
      const { pieces, end } = await readPieces(this.#file, this.#erasuresTo, size);
      for (const { at: from, bytes } of pieces) {
        if (bytes?.includes(ERASES) !== true) continue;
        const line = decodeLine(bytes);
        const target = line?.at === from && 'moderate' in line.do ? line.do.line : undefined;
        if (target !== undefined) this.#erased.set(target.at, target);
      }
      if (end === this.#erasuresTo) break;
      this.#erasuresTo = end;
    }
    return this.#erased.get(at);
  }
}

/** @returns the number that a piece with a wrong checksum claims, if it also claims its place */
function claimedNumber(piece: Buffer, at: number): number | undefined {
  const place = claimedPlace(piece);
  return place?.at === at ? place.seq : undefined;
}

async function checkFirstLine(file: DiskFile, path: string): Promise<void> {
  const bytes = Buffer.alloc(FIRST_LINE.length);
  await file.read(bytes, 0);
  if (!bytes.equals(FIRST_LINE))
    throw new CorruptionError(path, 'this is not the first line of a log that this version writes', 0);
}

/** Removes locks that a crash left before they were put in place. */
async function removeOldLocks(
  disk: Disk,
  folder: string,
  names: readonly string[],
  before: number,
): Promise<void> {
  for (const name of names.filter((one) => one.startsWith(`${LOCK}.`))) {
    const path = join(folder, name);
    const found = await disk.status(path);
    // A process that may not write removes nothing.
    if (found !== undefined && found.modified < before) await removeFile(disk, path).catch(() => undefined);
  }
}
