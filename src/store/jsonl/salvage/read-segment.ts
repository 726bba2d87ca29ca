import { CorruptionError } from '#store/jsonl/corruption.ts';
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
  type StoredOperation,
} from '#store/jsonl/log/line.ts';
import { readFully, readPieces, type Piece } from '#store/jsonl/log/read-pieces.ts';
import type { Erasure } from '#store/jsonl/log/erasures.ts';
import { recoverSeed } from './recover-seed.ts';
import { fileFrom, findBeginning } from './segment-beginning.ts';

/** A piece with a number that stands at the byte which it names. */
export interface PlacedLine {
  readonly seq: number;
  readonly at: number;
  /** In bytes, without the line feed. */
  readonly length: number;
  readonly stored: StoredOperation | undefined;
  /** Of a line whose checksum is wrong; its number may be wrong too. */
  readonly damaged: Buffer | undefined;
}

/** Ids of erased records, and numbers of the lines that added them. */
export interface ErasedRecords {
  readonly ids: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

/** All that a file of the log holds. */
export interface FoundSegment {
  readonly name: string;
  /** As the header has it. Without one: of the segment's own lines, as far as they show it. */
  readonly from: number;
  readonly upto: number;
  /** Undefined if the header is damaged and its lines do not show it either. */
  readonly seed: number | undefined;
  readonly isHeaderDamaged: boolean;
  /** Bytes of the file before the segment. All other places are counted from behind them. */
  readonly inserted: number;
  /** Of the first line behind the header. */
  readonly start: number;
  readonly size: number;
  /** Where a line begins that has no end; `size` if there is none. */
  readonly fragmentAt: number;
  /** In the order of the file, up to the seal. */
  readonly lines: readonly PlacedLine[];
  /** The last number that a line knows to be synced. */
  readonly required: number;
  /** The file that the seal names. */
  readonly seal: string | undefined;
  /** Erase lines as they name their targets. */
  readonly erasures: readonly Erasure[];
  /** What erase lines name, whether these count or not, and what is left of damaged ones. */
  readonly erased: ErasedRecords;
}

/** What a damaged erase line still names. No text of a record matches: JSON puts a backslash before each of its quotes. */
const ERASED_ID = /"moderate":"erase","id":"(\w[\w-]*)"/g;
const ERASED_NUMBER = /"line":\{"log":\d+,"at":\d+,"length":\d+,"seq":(\d+),/g;

/** Reads a file of the log to its end. @throws CorruptionError if a newer version of the program wrote it */
export async function readSegment(
  whole: Pick<DiskFile, 'size' | 'read'>,
  name: string,
): Promise<FoundSegment> {
  const { header, inserted, start } = await findBeginning(whole);
  const file = fileFrom(whole, inserted);
  if (header !== undefined && header.format > FORMAT)
    throw new CorruptionError(name, 'a newer version of this program wrote it');
  if (header !== undefined && header.format < FORMAT) throw new CorruptionError(name, OLDER_FORMAT);
  const seed = header === undefined ? await recoverSeed(file) : header.seed;
  const reader = new SegmentReader(seed);
  const { size, end } = await readPieces(file, start, (piece) => reader.take(piece));
  const { lines, required, seal, erasures, erased, lowest } = reader;
  const from = header?.from ?? lowest;
  const upto = header?.upto ?? from - 1;
  const isHeaderDamaged = header === undefined;
  return {
    name,
    from,
    upto,
    seed,
    isHeaderDamaged,
    inserted,
    start,
    size,
    fragmentAt: (await isLine(file, end, size)) ? end : size,
    lines,
    required,
    seal,
    erasures,
    erased,
  };
}

/** Whether bytes without a line feed are part of a line, and neither removed nor the beginning of a write. */
async function isLine(file: Pick<DiskFile, 'read'>, from: number, to: number): Promise<boolean> {
  const bytes = await readFully(file, from, Math.min(to - from, MAX_LINE_BYTES));
  return !isBlank(bytes) && !isWriteStart(bytes);
}

class SegmentReader {
  readonly lines: PlacedLine[] = [];
  readonly erasures: Erasure[] = [];
  readonly erased = { ids: new Set<string>(), numbers: new Set<number>() };
  required = 0;
  seal: string | undefined;
  /** The first number of a segment is at most the number of each of its lines, and at most one above each base. */
  lowest = Infinity;
  readonly #seed: number | undefined;

  constructor(seed: number | undefined) {
    this.#seed = seed;
  }

  take({ at, bytes }: Piece): true {
    if (bytes === undefined || bytes.length === 0 || isWriteStart(bytes) || isBlank(bytes)) return true;
    const line = this.#decode(bytes);
    if (line === undefined) this.#takeDamaged(at, bytes);
    else this.#takeLine(line, at, bytes.length);
    return true;
  }

  #decode(bytes: Buffer): Line | undefined {
    return this.#seed === undefined ? undefined : decodeLine(bytes, this.#seed);
  }

  #takeLine(line: Line, at: number, length: number): void {
    if ('do' in line) this.#takeErasure(line.do, line.base);
    // Behind a seal nothing counts.
    if (this.seal !== undefined) return;
    this.required = Math.max(this.required, line.base);
    this.lowest = Math.min(this.lowest, line.base + 1);
    if (line.at !== at) return;
    if ('seal' in line) this.seal = line.seal;
    if ('do' in line) this.lines.push({ seq: line.seq, at, length, stored: line.do, damaged: undefined });
  }

  #takeErasure(stored: StoredOperation, base: number): void {
    if (!('moderate' in stored) || stored.moderate !== 'erase') return;
    this.erased.ids.add(stored.id);
    if (stored.line !== undefined) this.erasures.push({ target: stored.line, base });
  }

  #takeDamaged(at: number, bytes: Buffer): void {
    const text = bytes.toString('latin1');
    for (const [, id = ''] of text.matchAll(ERASED_ID)) this.erased.ids.add(id);
    for (const [, number] of text.matchAll(ERASED_NUMBER)) this.erased.numbers.add(Number(number));
    const seq = namesPlace(bytes, 0, at) ? claimedNumber(bytes) : undefined;
    if (seq !== undefined && seq > 0 && this.seal === undefined) {
      // A copy, since the piece is part of a large chunk.
      const damaged = Buffer.from(bytes);
      this.lines.push({ seq, at, length: bytes.length, stored: undefined, damaged });
    }
    // If a line feed is damaged, a whole line follows in the same piece.
    for (let index = bytes.indexOf('{"at":', 1); index >= 0; index = bytes.indexOf('{"at":', index + 1)) {
      const line = namesPlace(bytes, index, at + index) ? this.#decode(bytes.subarray(index)) : undefined;
      if (line !== undefined) this.#takeLine(line, at + index, bytes.length - index);
    }
  }
}

/** Whether the head of a line that begins at an index names a byte of the file. */
function namesPlace(bytes: Buffer, index: number, at: number): boolean {
  return bytes.toString('latin1', index, index + 30).startsWith(`{"at":${at},`);
}
