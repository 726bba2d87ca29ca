import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import {
  claimedNumber,
  decodeLine,
  isBlank,
  isWriteStart,
  type Line,
  type CountedLine,
  type StoredOperation,
} from './line.ts';
import { findErasedLine, type ErasableSegment, type Suspect } from './erasures.ts';
import type { Piece } from './read-pieces.ts';

/** Where a scan begins or ends: behind the last line that counts. */
export interface Position {
  readonly offset: number;
  readonly seq: number;
}

/** Bytes that hold, or held, a text of a line that does not count. */
export interface DeadRange {
  readonly at: number;
  readonly length: number;
  /** Whether it held nothing but spaces when it was read. */
  readonly isBlank: boolean;
}

export interface ScanResult {
  readonly position: Position;
  /** Of the file, when the scan reached its end. */
  readonly size: number;
  /** The last number that is known to be synced. */
  readonly proved: number;
  readonly seal: string | undefined;
  /** Bytes behind the last line feed. */
  readonly fragment: number;
  /** Dead ranges behind the last line that counts, the fragment included. */
  readonly deadBehind: DeadRange[];
  /** Numbers of erases whose texts are removed. */
  readonly wiped: readonly number[];
  /** Dead ranges before the last line that counts. */
  readonly dead: readonly DeadRange[];
  /** The first claim behind the last line that counts. */
  readonly claim: string | undefined;
  /** Whether there are pieces behind the last line that counts which no writer finished. */
  readonly suspicious: boolean;
}

/** A segment to scan, and what is known of it from outside. */
export interface ScanSource extends ErasableSegment {
  /** The first number of the next segment; Infinity if there is none. */
  readonly stop: number;
  /** Asked before damage is reported. @returns whether a next segment exists that `stop` does not know of */
  readonly isContinued: () => Promise<boolean>;
}

/** The scan has to be repeated: the store continues in a segment that the scan did not know of. */
export class SegmentContinued extends Error {}

/**
 * Finds the lines that count. A line counts if its checksum fits, it is where its writer expected it,
 * and its number follows the last one. A piece with a wrong checksum does not count, unless an erase line
 * names it: then it is a line whose text is being removed. Everything else is dead and is skipped. But
 * missing lines that a later line builds on, because its `base` names them, are damage; that is decided at
 * the end of the file only, since another process may be writing.
 * @param visit receives the lines that count, in order
 * @throws CorruptionError for damage
 * @throws SegmentContinued
 */
export async function scanSegment(
  source: ScanSource,
  from: Position,
  visit: (line: CountedLine) => void,
): Promise<ScanResult> {
  for (let scan = new Scan(source, from, visit); ; ) {
    await scan.readToEnd();
    if (scan.missing === undefined) return scan.result();
    if (await source.isContinued()) throw new SegmentContinued();
    const erased = await findErasedLine(source, scan);
    // Another process may have begun the next segment since then, and removed the copies here.
    if (erased === undefined && (await source.isContinued())) throw new SegmentContinued();
    if (erased === undefined)
      throw new CorruptionError(
        source.file.path,
        'lines that later lines build on are missing',
        scan.damagedAt,
      );
    scan = scan.behind(erased);
  }
}

class Scan {
  readonly #source: ScanSource;
  readonly #visit: (line: CountedLine) => void;
  #position: Position;
  #end: number;
  #size = 0;
  #proved: number;
  #seal: string | undefined;
  #claim: string | undefined;
  /** The highest `base` of any line. */
  #required: number;
  #suspects: Suspect[] = [];
  readonly #wiped: number[] = [];
  #dead: DeadRange[] = [];
  /** Dead ranges behind the last line that counts: they are read again by the next scan. */
  #deadBehind: DeadRange[] = [];

  constructor(source: ScanSource, from: Position, visit: (line: CountedLine) => void) {
    const { header, stop } = source;
    this.#source = source;
    this.#visit = visit;
    this.#position = from;
    this.#end = from.offset;
    this.#proved = header.upto;
    this.#required = stop === Infinity ? header.upto : stop - 1;
  }

  /** The next number, if it is missing and a line builds on it. */
  get missing(): number | undefined {
    const { seq } = this.#position;
    const isDecidedElsewhere = this.#seal !== undefined && this.#source.stop === Infinity;
    return this.#required > seq && !isDecidedElsewhere ? seq + 1 : undefined;
  }

  get suspects(): readonly Suspect[] {
    return this.#suspects;
  }

  get damagedAt(): number {
    return this.#suspects[0]?.at ?? this.#position.offset;
  }

  /** Reads until the file stops growing, or is sealed. */
  async readToEnd(): Promise<void> {
    const { file } = this.#source;
    do {
      const { end, size } = await file.readPieces(this.#end, (piece) => this.#classify(piece));
      this.#end = end;
      this.#size = size;
    } while (this.missing !== undefined && file.size !== this.#size);
  }

  /** @returns a scan that continues behind a line which counts though it cannot be read */
  behind(line: CountedLine): Scan {
    this.#visit(line);
    const next = new Scan(
      this.#source,
      { offset: line.at + line.bytes.length + 1, seq: line.seq },
      this.#visit,
    );
    next.#dead = [...this.#dead, ...this.#deadBehind.filter(({ at }) => at < line.at)];
    for (const seq of this.#wiped) next.#wiped.push(seq);
    next.#proved = this.#proved;
    next.#required = this.#required;
    return next;
  }

  /** Adjacent ranges become one. */
  #addDead(at: number, length: number, isBlank: boolean): void {
    const last = this.#deadBehind.at(-1);
    if (last?.isBlank === isBlank && last.at + last.length + 1 === at)
      this.#deadBehind[this.#deadBehind.length - 1] = { ...last, length: at + length - last.at };
    else this.#deadBehind.push({ at, length, isBlank });
  }

  result(): ScanResult {
    const fragment = this.#seal === undefined ? this.#size - this.#end : 0;
    const ending = fragment === 0 ? [] : [{ at: this.#end, length: fragment, isBlank: false }];
    return {
      position: this.#position,
      size: this.#size,
      proved: Math.min(this.#proved, this.#position.seq),
      seal: this.#seal,
      claim: this.#claim,
      fragment,
      deadBehind: [...this.#deadBehind, ...ending],
      wiped: this.#wiped,
      dead: this.#dead,
      suspicious: this.#suspects.length > 0,
    };
  }

  /** @returns false behind a seal */
  #classify({ at, bytes, length }: Piece): boolean {
    if (length === 0 || (bytes !== undefined && isWriteStart(bytes))) return true;
    const line = bytes && decodeLine(bytes, this.#source.header.seed);
    if (line === undefined || bytes === undefined) {
      const isRemoved = bytes !== undefined && isBlank(bytes);
      if (!isRemoved) this.#suspects.push({ at, length, seq: bytes && claimedNumber(bytes) });
      this.#addDead(at, length, isRemoved);
      return true;
    }
    this.#proved = Math.max(this.#proved, line.base);
    if ('seal' in line && line.at === at) {
      this.#seal = line.seal;
      return false;
    }
    if ('do' in line) this.#classifyOperation(line, at, bytes);
    else {
      if ('wiped' in line) this.#applyWipeMark(line.wiped);
      if ('claim' in line) this.#claim ??= line.claim;
      this.#require(line.base);
    }
    return true;
  }

  /** Before this line was written, all dead ranges before the erase were overwritten and synced. */
  #applyWipeMark(seq: number): void {
    this.#wiped.push(seq);
    this.#dead = this.#dead.filter(({ isBlank }) => !isBlank);
    this.#deadBehind = this.#deadBehind.filter(({ isBlank }) => !isBlank);
  }

  /** A writer of an earlier segment may know numbers which the next segment gives to other lines. */
  #require(base: number): void {
    this.#required = Math.max(this.#required, Math.min(base, this.#source.stop - 1));
  }

  #classifyOperation(line: Line & { do: StoredOperation }, at: number, bytes: Buffer): void {
    const { seq } = this.#position;
    if (line.at === at && line.seq === seq + 1 && line.seq < this.#source.stop) {
      this.#position = { offset: at + bytes.length + 1, seq: line.seq };
      this.#suspects = [];
      this.#claim = undefined;
      for (const range of this.#deadBehind.splice(0)) this.#dead.push(range);
      this.#visit({ seq: line.seq, do: line.do, log: this.#source.header.number, at, bytes });
      return;
    }
    this.#require(line.base);
    if ('add' in line.do) this.#addDead(at, bytes.length, false);
  }
}
