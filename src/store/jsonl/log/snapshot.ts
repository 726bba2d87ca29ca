import { endianness } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { readWhole, removeFile, TEMPORARY } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { decodeLine, sumOf, type SegmentHeader } from './line.ts';
import type { LinePlace } from './line-places.ts';
import { SegmentFile } from './segment-file.ts';
import { segmentName } from './segment-names.ts';

/** Changes with what a snapshot holds: one of another format, or of another kind of machine, is not used. */
const FORMAT = `porchlight snapshot 1 ${endianness()}`;

const SUM_BYTES = 4;

/**
 * What a start needs of the first lines of a log, so that it need not read them. It holds no texts and no
 * clients, and nothing that depends on when it was written.
 */
export interface Snapshot {
  /** Lines 1 to this number are described. */
  readonly count: number;
  /** A later line, whose `base` is `count`: a log that has it holds the described lines. */
  readonly witness: LinePlace & { readonly seq: number; readonly sum: string };
  /** All segments up to that of the witness. */
  readonly segments: readonly Pick<SegmentHeader, 'number' | 'from' | 'seed'>[];
  /** By line. An id is an index in `kinds`, or `NONE`. */
  readonly lines: {
    readonly at: Float64Array;
    readonly length: Int32Array;
    readonly isSigned: Uint8Array;
    /** Number of the record that the line adds, as are the other columns; `NONE` if the line must be read. */
    readonly id: Int32Array;
    readonly time: Float64Array;
    readonly parent: Int32Array;
    readonly root: Int32Array;
    /** An index in `prefixes`. */
    readonly prefix: Int32Array;
    /** Where the ids that it takes up end in `references`. */
    readonly referenceEnd: Int32Array;
  };
  readonly prefixes: readonly (string | null)[];
  readonly references: Int32Array;
  /** By id, its UUID and the code of its kind. */
  readonly uuids: Int32Array;
  readonly kinds: Uint8Array;
}

/** @returns the CRC-32 and what it is of */
export function encodeSnapshot(snapshot: Snapshot): Buffer {
  const body = serialize({ format: FORMAT, ...snapshot });
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(body));
  return Buffer.concat([sum, body]);
}

/**
 * @returns undefined if the bytes are damaged or of another format
 * @throws Error if a later version of Node made them
 */
export function decodeSnapshot(bytes: Buffer): Snapshot | undefined {
  const body = bytes.subarray(SUM_BYTES);
  if (bytes.length < SUM_BYTES || bytes.readUInt32LE() !== crc32(body)) return undefined;
  const snapshot = deserialize(body) as Snapshot & { readonly format: string };
  return snapshot.format === FORMAT ? snapshot : undefined;
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
async function fits({ disk, folder }: Place, { segments, witness }: Snapshot): Promise<boolean> {
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
