import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import type { DiskFile } from '#store/jsonl/fs/disk.ts';
import {
  claimedNumber,
  decodeLine,
  FORMAT,
  isBlank,
  isWriteStart,
  MAX_LINE_BYTES,
  OLDER_FORMAT,
  type Line,
  type SegmentHeader,
  type StoredOperation,
} from '#store/jsonl/log/line.ts';
import { readFully, readPieces, type Piece } from '#store/jsonl/log/read-pieces.ts';
import { recoverSeed } from './recover-seed.ts';

type Readable = Pick<DiskFile, 'size' | 'read'>;

/** A piece with a number, at the byte that it names. */
export interface PlacedLine {
  readonly seq: number;
  readonly at: number;
  /** In bytes, without the line feed. */
  readonly length: number;
  /** Undefined if the checksum is wrong; the number may be wrong then too. */
  readonly stored: StoredOperation | undefined;
}

/** What erase lines name, whether these count or not, and what is left of damaged ones. */
export interface ErasedRecords {
  readonly ids: Set<string>;
  /** Numbers of the lines that added them. */
  readonly numbers: Set<number>;
}

/** All that a segment holds. */
export interface FoundSegment {
  readonly name: string;
  /** Undefined if no header is whole. */
  readonly header: SegmentHeader | undefined;
  /** Bytes of the file before the header: all lines stand that much behind the byte which they name. */
  readonly inserted: number;
  readonly start: number;
  readonly size: number;
  /** Where a line begins that has no end; `size` if there is none. */
  readonly fragmentAt: number;
  /** In the order of the file, up to the seal. */
  readonly lines: readonly PlacedLine[];
  /** The last number that a line knows to be synced. */
  readonly proved: number;
  readonly seal: string | undefined;
}

const LINE_START = '{"at":';
/** What a damaged erase line still names. No text matches: JSON escapes each of its quotes. */
const ERASED_ID = /"moderate":"erase","id":"(\w[\w-]*)"/g;
const ERASED_NUMBER = /"line":\{"log":\d+,"at":\d+,"length":\d+,"seq":(\d+),/g;

/**
 * Reads a segment to its end.
 * @param number that the segment has by its name
 * @param erased takes what erase lines name
 * @throws CorruptionError if the file is of another format, or another segment
 */
export async function readSegment(
  file: Readable,
  name: string,
  number: number,
  erased: ErasedRecords,
): Promise<FoundSegment> {
  const { header, inserted, start } = await findHeader(file);
  if (header !== undefined && header.format > FORMAT)
    throw new CorruptionError(name, 'a newer version of this program wrote it');
  if (header !== undefined && header.format < FORMAT) throw new CorruptionError(name, OLDER_FORMAT);
  if (header !== undefined && header.number !== number)
    throw new CorruptionError(name, 'the segment has another number than its name');
  const seed = header === undefined ? await recoverSeed(file) : header.seed;
  const reader = new SegmentReader(seed, inserted, erased);
  const { size, end } = await readPieces(file, start, (piece) => reader.take(piece));
  const rest = await readFully(file, end, Math.min(size - end, MAX_LINE_BYTES));
  const fragmentAt = isBlank(rest) || isWriteStart(rest) ? size : end;
  const { lines, proved, seal } = reader;
  return {
    name,
    header,
    inserted,
    start,
    size,
    fragmentAt,
    lines,
    proved: Math.max(proved, header?.upto ?? 0),
    seal,
  };
}

/** Finds the header at any byte, since an editor may have inserted bytes before it. */
async function findHeader(file: Readable): Promise<Pick<FoundSegment, 'header' | 'inserted' | 'start'>> {
  let found = { header: undefined as SegmentHeader | undefined, inserted: 0, start: 0 };
  await readPieces(file, 0, ({ at, bytes, length }) => {
    const index = bytes?.indexOf(`${LINE_START}0,`) ?? -1;
    const line = index < 0 ? undefined : bytes && decodeLine(bytes.subarray(index), 0);
    if (line !== undefined && 'log' in line)
      found = { header: line.log, inserted: at + index, start: at + length + 1 };
    return found.header === undefined;
  });
  return found;
}

class SegmentReader {
  readonly lines: PlacedLine[] = [];
  proved = 0;
  seal: string | undefined;
  readonly #seed: number | undefined;
  readonly #inserted: number;
  readonly #erased: ErasedRecords;

  constructor(seed: number | undefined, inserted: number, erased: ErasedRecords) {
    this.#seed = seed;
    this.#inserted = inserted;
    this.#erased = erased;
  }

  take({ at, bytes }: Piece): true {
    if (bytes === undefined || isWriteStart(bytes) || isBlank(bytes)) return true;
    const line = this.#decode(bytes);
    if (line === undefined) this.#takeDamaged(at, bytes);
    else this.#takeLine(line, at, bytes.length);
    return true;
  }

  #decode(bytes: Buffer): Line | undefined {
    return this.#seed === undefined ? undefined : decodeLine(bytes, this.#seed);
  }

  #takeLine(line: Line, at: number, length: number): void {
    if ('do' in line && 'moderate' in line.do && line.do.moderate === 'erase') {
      this.#erased.ids.add(line.do.id);
      if (line.do.line !== undefined) this.#erased.numbers.add(line.do.line.seq);
    }
    // Behind a seal nothing counts.
    if (this.seal !== undefined) return;
    this.proved = Math.max(this.proved, line.base);
    if (line.at !== at - this.#inserted) return;
    if ('seal' in line) this.seal = line.seal;
    if ('do' in line) this.lines.push({ seq: line.seq, at, length, stored: line.do });
  }

  #takeDamaged(at: number, bytes: Buffer): void {
    const text = bytes.toString('latin1');
    for (const [, id = ''] of text.matchAll(ERASED_ID)) this.#erased.ids.add(id);
    for (const [, number] of text.matchAll(ERASED_NUMBER)) this.#erased.numbers.add(Number(number));
    const isPlaced = text.startsWith(`${LINE_START}${at - this.#inserted},`);
    const seq = isPlaced ? claimedNumber(bytes) : undefined;
    if (seq !== undefined && this.seal === undefined)
      this.lines.push({ seq, at, length: bytes.length, stored: undefined });
    // If a line feed is damaged, a whole line follows in the same piece.
    for (let index = text.indexOf(LINE_START, 1); index >= 0; index = text.indexOf(LINE_START, index + 1)) {
      const line = this.#decode(bytes.subarray(index));
      if (line !== undefined) this.#takeLine(line, at + index, bytes.length - index);
    }
  }
}
