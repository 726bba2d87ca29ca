import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { KIND_CODES } from '#store/memory/columns/id-table.ts';
import { UUID_WORDS } from '#store/memory/columns/uuid-column.ts';
import { isTimeKey } from '#store/memory/columns/time-key.ts';
import type { RecordRows } from '#store/memory/rows/record-rows.ts';
import type { DeadRange } from '#store/jsonl/log/scan.ts';

/** The first bytes of a file of rows. A change of what follows changes them. */
const MAGIC = 'porchlight rows 1\n';

/** Columns begin at multiples of it. */
const ALIGNMENT = 8;
const SUM_BYTES = 4;
const LINE_FEED = 0x0a;

/** What the index takes from consecutive lines of a segment, and where the lines stand. */
export interface RowsFile {
  /** Number of the segment. */
  readonly log: number;
  /** Of that segment, so that the rows of another store never fit. */
  readonly seed: number;
  /** The number of the first line. */
  readonly from: number;
  readonly count: number;
  /** The checksum of the last line, so that the rows of other lines at the same places never fit. */
  readonly sum: string;
  /** Ranges between the lines that hold, or held, texts of lines that do not count. */
  readonly dead: readonly DeadRange[];
  readonly rows: RecordRows;
  /** Where each line begins in the segment. */
  readonly offsets: Float64Array;
  /** In bytes, without the line feed. */
  readonly lengths: Int32Array;
  /** 1 for a line that holds an encrypted write entry. */
  readonly signed: Uint8Array;
}

/**
 * The layout of a file: `MAGIC`, a line of JSON, spaces up to a multiple of 8, the columns, those of eight bytes an element
 * first, and the CRC-32 of all that.
 */
export function encodeRows({ rows, offsets, lengths, signed, ...header }: RowsFile): Buffer {
  const { prefixNames, references, namedUuids } = rows;
  const lengthsOf = { references: references.length, namedUuids: namedUuids.length };
  const json = { ...header, prefixNames, ...lengthsOf, order: endianness() };
  const text = `${MAGIC}${JSON.stringify(json)}\n`;
  const length = Buffer.byteLength(text);
  const columns = [
    ...[offsets, rows.times, rows.statedDues, rows.names],
    ...[lengths, rows.uuids, rows.parents, rows.roots, rows.referenceEnds, references, namedUuids],
    ...[rows.kinds, rows.prefixes, signed],
  ];
  const body = Buffer.concat([
    Buffer.from(text + ' '.repeat(aligned(length) - length)),
    ...columns.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(body));
  return Buffer.concat([body, sum]);
}

/**
 * @param bytes of a file; its columns are views of them
 * @returns undefined if the file is damaged, or another version or another kind of machine made it
 * @throws Error if the checksum fits a header that is none
 */
export function decodeRows(bytes: ArrayBuffer): RowsFile | undefined {
  const buffer = Buffer.from(bytes);
  const end = buffer.length - SUM_BYTES;
  if (end < MAGIC.length || buffer.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  if (buffer.readUInt32LE(end) !== crc32(buffer.subarray(0, end))) return undefined;
  const headerEnd = buffer.indexOf(LINE_FEED, MAGIC.length);
  const { order, prefixNames, references, namedUuids, ...header } = JSON.parse(
    buffer.toString('utf8', MAGIC.length, headerEnd),
  ) as RowsJson;
  if (order !== endianness()) return undefined;
  let at = aligned(headerEnd + 1);
  const next = <Column>(type: ColumnType<Column>, length: number): Column => {
    const column = new type(bytes, at, length);
    at += length * type.BYTES_PER_ELEMENT;
    return column;
  };
  const { count } = header;
  const [offsets, times] = [next(Float64Array, count), next(Float64Array, count)];
  const [statedDues, names] = [next(Float64Array, count), next(Float64Array, count)];
  const [lengths, uuids] = [next(Int32Array, count), next(Int32Array, count * UUID_WORDS)];
  const [parents, roots] = [next(Int32Array, count), next(Int32Array, count)];
  const [referenceEnds, targets] = [next(Int32Array, count), next(Int32Array, references)];
  const uuidsOfNamed = next(Int32Array, namedUuids);
  const [kinds, prefixes] = [next(Uint8Array, count), next(Uint8Array, count)];
  const signed = next(Uint8Array, count);
  const named = { parents, roots, referenceEnds, references: targets, namedUuids: uuidsOfNamed };
  const rows = { kinds, prefixes, prefixNames, times, uuids, ...named, statedDues, names };
  return isUsable(rows) ? { ...header, rows, offsets, lengths, signed } : undefined;
}

/** Whether an index can take the columns in. Whether they are true follows from the log alone. */
function isUsable({ kinds, times, referenceEnds, references, namedUuids }: RecordRows): boolean {
  const least = -namedUuids.length / UUID_WORDS;
  const isWithin =
    referenceEnds.every((end) => end <= references.length) && references.every((one) => one >= least);
  return isWithin && kinds.every((kind) => kind < KIND_CODES) && times.every(isTimeKey);
}

type RowsJson = Omit<RowsFile, 'rows' | 'offsets' | 'lengths' | 'signed'> &
  Pick<RecordRows, 'prefixNames'> & {
    readonly references: number;
    readonly namedUuids: number;
    readonly order: string;
  };

interface ColumnType<Column> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, at: number, length: number): Column;
}

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
