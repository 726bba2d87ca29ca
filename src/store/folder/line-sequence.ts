import type { Blanks } from './blanks.ts';
import { CorruptionError, type DiskFile } from './fs/disk.ts';
import {
  blankedHeader,
  claimedHeader,
  decodeErased,
  decodeLine,
  encodeLine,
  FIRST_LINE,
  holdsNothing,
  readPieces,
  SPACE,
  withoutText,
  WRITE_START,
  type CountedLine,
  type DecodedLine,
  type Piece,
  type StoredOperation,
} from './line.ts';

export interface ReadLine extends CountedLine {
  /** The index of its operation in the batch of this process; absent in a line of another process. */
  readonly batchIndex?: number;
}

/** If it throws, it has applied nothing, and it is called again with the same lines. */
export type ApplyLines = (lines: readonly ReadLine[]) => Promise<void>;

/** A line to append. It is stored if it counts at the planned byte with the planned number. */
interface PlannedLine {
  readonly line: ReadLine;
  readonly bytes: Buffer;
}

/** Planned lines by the byte at which they should begin. */
export type Plan = ReadonlyMap<number, PlannedLine>;

const NO_PLAN: Plan = new Map();

/**
 * The lines of a log that count, with the numbers 1, 2, 3 … A line counts if its checksum is right, it begins
 * at the byte that it names, and it has the next number. All other bytes are dead, so if two processes append
 * at the same time, for example after a lock failure, the lines of only one count.
 * @example
 *   // byte 400  {"at":400,"seq":2,"base":1,…}  counts; `base` says that line 1 was synced
 *   // byte 700  {"at":400,"seq":2,"base":1,…}  dead: made for byte 400, where another process was first
 *   // byte 990  {"at":990,"seq":3,"base":2,…}  counts
 */
export class LineSequence {
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #blanks: Blanks;
  /** Reads synchronously, for bytes that were just written and are still in memory. */
  readonly #fileNow: Pick<DiskFile, 'read'> = {
    read: async (into, offset) => this.#file.readNow(into, offset),
  };
  #examined = FIRST_LINE.length;
  #seq = 0;
  /** The last number that is known to be synced, by this process or because a line says so. */
  #syncedUpTo = 0;
  #deadSince: number | undefined;
  /** The last line that counts. If its bytes change, the file was overwritten. */
  #last: { readonly offset: number; readonly bytes: Buffer } | undefined;

  constructor(path: string, file: DiskFile, blanks: Blanks) {
    this.#path = path;
    this.#file = file;
    this.#blanks = blanks;
  }

  get examined(): number {
    return this.#examined;
  }

  /** The number of last lines that are not known to be synced. */
  get unproved(): number {
    return this.#seq - this.#syncedUpTo;
  }

  get lastOffset(): number | undefined {
    return this.#last?.offset;
  }

  noteSynced(): void {
    this.#syncedUpTo = this.#seq;
  }

  /** Whether anything but an erase has changed the bytes of the last line. */
  isLastLineOverwritten(): boolean {
    if (this.#last === undefined) return false;
    const { offset, bytes } = this.#last;
    const found = Buffer.alloc(bytes.length);
    this.#file.readNow(found, offset);
    return !found.equals(bytes) && found.some((byte, index) => byte !== bytes[index] && byte !== SPACE);
  }

  /** @param start the size of the file */
  plan(operations: readonly StoredOperation[], start: number): { plan: Plan; bytes: Buffer } {
    const plan = new Map<number, PlannedLine>();
    const pieces: Buffer[] = [WRITE_START];
    let offset = start + WRITE_START.length;
    for (const [batchIndex, operation] of operations.entries()) {
      const seq = this.#seq + batchIndex + 1;
      const encoded = encodeLine({ offset, seq, syncedUpTo: this.#syncedUpTo }, operation);
      pieces.push(encoded);
      const bytes = encoded.subarray(0, -1);
      plan.set(offset, { line: { offset, length: bytes.length, seq, do: operation, batchIndex }, bytes });
      offset += encoded.length;
    }
    return { plan, bytes: Buffer.concat(pieces) };
  }

  /**
   * Reads more pieces, up to an offset, and applies the lines among them that count.
   * @param plan the lines that this process has just appended
   * @returns whether there may be more to read
   * @throws CorruptionError if a line that was synced does not count
   */
  async readChunk(end: number, apply: ApplyLines, plan = NO_PLAN): Promise<boolean> {
    const begin = this.#examined;
    const read = await readPieces(plan === NO_PLAN ? this.#file : this.#fileNow, begin, end);
    const lines: ReadLine[] = [];
    const dead: Piece[] = [];
    let seq = this.#seq;
    let syncedUpTo = this.#syncedUpTo;
    let deadSince = this.#deadSince;
    let last: Piece | undefined;
    for (const piece of read.pieces) {
      const { offset, bytes, length } = piece;
      const planned = plan.get(offset);
      const ownLine = (await this.#isOwn(planned, seq + 1, bytes)) ? planned?.line : undefined;
      const line = ownLine === undefined ? await this.#decode(bytes, offset, seq + 1) : undefined;
      const isNext = line?.offset === offset && line.seq === seq + 1;
      const counted = isNext ? { offset, length, seq: seq + 1, do: line.do } : ownLine;
      if (counted !== undefined) {
        ({ seq } = counted);
        syncedUpTo = Math.max(syncedUpTo, line?.syncedUpTo ?? 0);
        deadSince = undefined;
        last = piece;
        lines.push(counted);
      } else if (line === undefined ? isBlankedLine(bytes, offset, seq) : line.syncedUpTo > seq) {
        // The lines up to `syncedUpTo` were synced before this one was written. An erase overwrites a text once
        // all lines up to its own are synced.
        const what = `line ${seq + 1} was stored, and is damaged or missing; run porchlight salvage`;
        throw new CorruptionError(this.#path, what, deadSince ?? offset);
      } else {
        if (bytes === undefined || !holdsNothing(bytes)) deadSince ??= offset;
        dead.push(piece);
      }
    }
    await apply(lines);
    this.#seq = seq;
    this.#syncedUpTo = syncedUpTo;
    this.#deadSince = deadSince;
    // A copy: the piece would keep the whole chunk in memory.
    if (last?.bytes !== undefined) this.#last = { offset: last.offset, bytes: Buffer.from(last.bytes) };
    this.#examined = read.end;
    for (const piece of dead) this.#blanks.addDead(piece);
    for (const { do: stored, batchIndex } of lines)
      if ('moderate' in stored && stored.line !== undefined)
        this.#blanks.addErased(stored.line, batchIndex !== undefined);
    return read.end > begin;
  }

  /** Whether a planned line, erased or not, is in its place. @param next the number that counts next */
  async #isOwn(planned: PlannedLine | undefined, next: number, found: Buffer | undefined): Promise<boolean> {
    if (planned?.line.seq !== next || planned.bytes.length !== found?.length) return false;
    if (planned.bytes.equals(found)) return true;
    const span = (await this.#blanks.findErased(planned.line.offset))?.span;
    return span !== undefined && withoutText(planned.bytes, span).equals(withoutText(found, span));
  }

  /** @param next the number that counts next @returns undefined if the bytes are no line, erased or not */
  async #decode(bytes: Buffer | undefined, offset: number, next: number): Promise<DecodedLine | undefined> {
    if (bytes === undefined) return undefined;
    const line = decodeLine(bytes);
    if (line !== undefined) return line;
    const header = claimedHeader(bytes);
    if (header?.offset !== offset || header.seq !== next) return undefined;
    const target = await this.#blanks.findErased(offset);
    return target && decodeErased(bytes, target);
  }
}

/** Whether an erase has overwritten a text here, in a line after number `seq`. */
function isBlankedLine(bytes: Buffer | undefined, offset: number, seq: number): boolean {
  const header = bytes && blankedHeader(bytes);
  return header?.offset === offset && header.seq > seq;
}
