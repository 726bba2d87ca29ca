import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readWhole, removeFile, TEMPORARY, writeAll } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk, DiskFile } from '#store/jsonl/fs/disk.ts';
import { decodeLine, sumOf, type SegmentHeader } from './line.ts';
import type { LinePlace } from './line-places.ts';
import { SegmentFile } from './segment-file.ts';
import { segmentName } from './segment-names.ts';

/** Changes with what a snapshot holds: one of another format, or of another kind of machine, is not used. */
const FORMAT = `porchlight snapshot 2 ${endianness()}`;

/** Of the length before each part, and of the checksum at the end. */
const NUMBER_BYTES = 4;

/** A part describes so many lines. Only one at a time is in memory beside the file. */
export const PART_LINES = 65_536;

/** The columns of a part by line, in the order of the file. Ids are numbered in the order of occurrence. */
const LINE_COLUMNS = {
  /** As `LinePlace`. */
  at: Float64Array,
  length: Int32Array,
  isSigned: Uint8Array,
  /** The id of the record that the line adds; `NONE` if the line must be read. */
  id: Int32Array,
  time: Float64Array,
  parent: Int32Array,
  root: Int32Array,
  /** An index in `prefixes`. */
  prefix: Int32Array,
  /** Where the ids that it takes up end in `references`. */
  referenceEnd: Int32Array,
} as const;

const COLUMNS = {
  ...LINE_COLUMNS,
  references: Int32Array,
  /** By id that occurs in no earlier part, its UUID. */
  uuids: Int32Array,
  /** By id that occurs in no earlier part, the code of its kind. */
  kinds: Uint8Array,
} as const;

const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

type ColumnsOf<Types extends Partial<typeof COLUMNS>> = {
  readonly [Name in keyof Types]: InstanceType<Extract<Types[Name], new (length: number) => unknown>>;
};
export type LineColumns = ColumnsOf<typeof LINE_COLUMNS>;
export type SnapshotPart = ColumnsOf<typeof COLUMNS>;

export function newLineColumns(): LineColumns {
  const columns = Object.entries(LINE_COLUMNS).map(([name, Type]) => [name, new Type(PART_LINES)]);
  return Object.fromEntries(columns) as LineColumns;
}

/** @returns columns of so many lines, all 0, in the memory of others */
export function clearLines(columns: LineColumns, count: number): LineColumns {
  const cleared = Object.entries(columns).map(([name, column]) => [name, column.subarray(0, count).fill(0)]);
  return Object.fromEntries(cleared) as LineColumns;
}

interface SnapshotHead {
  /** Lines 1 to this number are described. */
  readonly count: number;
  readonly idCount: number;
  /** The latest time of a described record. */
  readonly newest: number;
  readonly prefixes: readonly (string | null)[];
  /** A later line, whose `base` is `count`: a log that has it holds the described lines. */
  readonly witness: LinePlace & { readonly seq: number; readonly sum: string };
  /** All segments up to that of the witness. */
  readonly segments: readonly Pick<SegmentHeader, 'number' | 'from' | 'seed'>[];
}

/**
 * What a start needs of the first lines of a log, so that it need not read them. It holds no texts and no
 * clients, and nothing that depends on when it was written.
 */
export class Snapshot {
  readonly head: SnapshotHead;
  readonly #parts: readonly Buffer[];
  /** The part that was asked for last. */
  #part: SnapshotPart | undefined;
  #number = -1;

  /** @param parts as `SnapshotWriter` writes them */
  constructor(head: SnapshotHead, parts: readonly Buffer[]) {
    this.head = head;
    this.#parts = parts;
  }

  /** @param number as `partNumber` returns it */
  part(number: number): SnapshotPart {
    if (this.#part === undefined || this.#number !== number) {
      const bytes = this.#parts[number];
      if (bytes === undefined) throw new RangeError('a line that the snapshot does not describe');
      this.#part = decodePart(bytes);
      this.#number = number;
    }
    return this.#part;
  }
}

/** @param seq the number of a described line @returns the number of its part, from 0 */
export const partNumber = (seq: number): number => Math.floor((seq - 1) / PART_LINES);

/** @returns the place of a described line in the columns of its part */
export const indexInPart = (seq: number): number => (seq - 1) % PART_LINES;

/**
 * Writes the parts of a snapshot into a file, each behind its length, then its head, and a CRC-32 of all.
 * It copies no column, since memory outside of the heap is freed late.
 */
export class SnapshotWriter {
  readonly #file: DiskFile;
  #sum = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  async add(part: SnapshotPart): Promise<void> {
    const columns = COLUMN_NAMES.map((name) => part[name]).map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    );
    await this.#writePart([Buffer.concat(columns.map(({ length }) => toBytes(length))), ...columns]);
  }

  async end(head: SnapshotHead): Promise<void> {
    await this.#writePart([Buffer.from(JSON.stringify({ format: FORMAT, ...head }))]);
    await writeAll(this.#file, toBytes(this.#sum));
  }

  async #writePart(pieces: readonly Buffer[]): Promise<void> {
    const size = toBytes(pieces.reduce((sum, { length }) => sum + length, 0));
    // Of an empty piece `crc32` returns 0, whatever the sum was.
    for (const piece of [size, ...pieces].filter(({ length }) => length > 0)) {
      this.#sum = crc32(piece, this.#sum);
      await writeAll(this.#file, piece);
    }
  }
}

function toBytes(number: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeUInt32LE(number);
  return bytes;
}

function decodePart(bytes: Buffer): SnapshotPart {
  let start = COLUMN_NAMES.length * NUMBER_BYTES;
  const columns = COLUMN_NAMES.map((name, index) => {
    const end = start + bytes.readUInt32LE(index * NUMBER_BYTES);
    // A copy, which is aligned.
    const column = new COLUMNS[name](new Uint8Array(bytes.subarray(start, end)).buffer);
    start = end;
    return [name, column];
  });
  return Object.fromEntries(columns) as SnapshotPart;
}

/**
 * @returns undefined if the bytes are damaged or of another format
 * @throws Error if they are no snapshot although their checksum fits
 */
export function decodeSnapshot(bytes: Buffer): Snapshot | undefined {
  const end = bytes.length - NUMBER_BYTES;
  if (end < 0 || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) return undefined;
  const parts: Buffer[] = [];
  for (let at = 0; at < end; ) {
    const start = at + NUMBER_BYTES;
    at = start + bytes.readUInt32LE(at);
    parts.push(bytes.subarray(start, at));
  }
  const { format, ...head } = JSON.parse(String(parts.pop())) as SnapshotHead & { readonly format: string };
  return format === FORMAT ? new Snapshot(head, parts) : undefined;
}

/** In the data folder. It may be deleted at any time. */
export const SNAPSHOT = 'snapshot';

interface Place {
  readonly disk: Disk;
  readonly folder: string;
}

/** @returns undefined without a snapshot that fits the log; one that does not fit is removed */
export async function readSnapshot(
  context: Place & { readonly report: (message: string) => void },
): Promise<Snapshot | undefined> {
  const { disk, folder, report } = context;
  try {
    const bytes = await readWhole(disk, join(folder, SNAPSHOT));
    if (bytes === undefined) return undefined;
    const snapshot = decodeSnapshot(bytes);
    if (snapshot !== undefined && (await fits(context, snapshot))) return snapshot;
    await removeSnapshot(context);
  } catch (error) {
    report(`the snapshot cannot be used, so this start reads the whole log: ${String(error)}`);
  }
  return undefined;
}

/** Whether the log has the witness. If not, the log is older than the snapshot, or of another store. */
async function fits({ disk, folder }: Place, { head }: Snapshot): Promise<boolean> {
  const { segments, witness } = head;
  for (const { number, from, seed } of segments) {
    const file = await SegmentFile.open(disk, folder, segmentName(number)).catch(() => undefined);
    if (file === undefined) return false;
    try {
      const { header } = await file.readHeader();
      if (header.seed !== seed || header.from !== from) return false;
      const bytes = number === witness.log ? file.readNow(witness.at, witness.length) : undefined;
      if (bytes !== undefined) return sumOf(bytes) === witness.sum && decodeLine(bytes, seed) !== undefined;
    } finally {
      await file.close();
    }
  }
  return false;
}

/**
 * Removes the snapshot and those that are being written, and makes that durable: what they say of an erased
 * record goes with it.
 * @throws Error if one may still be there
 */
export async function removeSnapshot({ disk, folder }: Place): Promise<void> {
  // A temporary file may get its name between the two steps. Then it was in the list, and the next pass
  // removes it.
  for (let found = true; found; ) {
    found = await removeTemporaries(disk, folder);
    await removeFile(disk, join(folder, SNAPSHOT));
    await disk.syncFolder(folder);
  }
}

/** Removes what is being written, or was left by a process that died. @returns whether there was something */
export async function removeTemporaries(disk: Disk, folder: string): Promise<boolean> {
  const names = (await disk.list(folder)).filter((name) => name.startsWith(`${TEMPORARY}${SNAPSHOT}-`));
  for (const name of names) await removeFile(disk, join(folder, name));
  return names.length > 0;
}
