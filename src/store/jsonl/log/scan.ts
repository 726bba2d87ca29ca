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

export interface ScanResult {
  readonly position: Position;
  /** Of the file, when the scan reached its end. */
  readonly size: number;
  /** The last number that is known to be synced. */
  readonly proved: number;
  readonly seal: string | undefined;
  /** Bytes behind the last line feed. */
  readonly fragment: number;
  /** Numbers of erases whose texts are removed. */
  readonly wiped: readonly number[];
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
    for (const seq of this.#wiped) next.#wiped.push(seq);
    next.#proved = this.#proved;
    next.#required = this.#required;
    return next;
  }

  result(): ScanResult {
    return {
      position: this.#position,
      size: this.#size,
      proved: Math.min(this.#proved, this.#position.seq),
      seal: this.#seal,
      claim: this.#claim,
      fragment: this.#seal === undefined ? this.#size - this.#end : 0,
      wiped: this.#wiped,
      suspicious: this.#suspects.length > 0,
    };
  }

  /** @returns false behind a seal */
  #classify({ at, bytes, length }: Piece): boolean {
    const line = bytes && decodeLine(bytes, this.#source.header.seed);
    if (line === undefined || bytes === undefined) {
      if (bytes !== undefined && (isWriteStart(bytes) || isBlank(bytes))) return true;
      this.#suspects.push({ at, length, seq: bytes && claimedNumber(bytes) });
      return true;
    }
    this.#proved = Math.max(this.#proved, line.base);
    if ('seal' in line && line.at === at) {
      this.#seal = line.seal;
      return false;
    }
    if ('do' in line) this.#classifyOperation(line, at, bytes);
    else {
      if ('wiped' in line) this.#wiped.push(line.wiped);
      if ('claim' in line) this.#claim ??= line.claim;
      this.#require(line.base);
    }
    return true;
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
      this.#visit({ seq: line.seq, do: line.do, log: this.#source.header.number, at, bytes });
      return;
    }
    this.#require(line.base);
  }
}
