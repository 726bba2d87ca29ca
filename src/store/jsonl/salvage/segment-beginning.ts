import type { DiskFile } from '#store/jsonl/fs/disk.ts';
import { decodeLine, MAX_LINE_BYTES, type SegmentHeader } from '#store/jsonl/log/line.ts';
import { readFully } from '#store/jsonl/log/read-pieces.ts';

type Readable = Pick<DiskFile, 'size' | 'read'>;

const HEADER_START = '{"at":0,';
const LINE_FEED = 0x0a;

/** How far behind the beginning of its file a header is looked for. */
const MAX_INSERTED_BYTES = MAX_LINE_BYTES;

/** Where a segment begins in its file. */
export interface SegmentBeginning {
  /** Undefined if no header is whole. */
  readonly header: SegmentHeader | undefined;
  /** Bytes before the header, such as a byte order mark that an editor has inserted; 0 without a header. */
  readonly inserted: number;
  /** Of the first line behind the header, counted from the header. */
  readonly start: number;
}

/** Finds the header of a segment. No text of a record looks like one: JSON puts a backslash before each of its quotes. */
export async function findBeginning(file: Readable): Promise<SegmentBeginning> {
  const bytes = await readFully(file, 0, Math.min(file.size(), MAX_INSERTED_BYTES));
  for (let at = bytes.indexOf(HEADER_START); at >= 0; at = bytes.indexOf(HEADER_START, at + 1)) {
    const end = bytes.indexOf(LINE_FEED, at);
    if (end < 0) break;
    const line = decodeLine(bytes.subarray(at, end), 0);
    if (line !== undefined && 'log' in line) return { header: line.log, inserted: at, start: end + 1 - at };
  }
  return { header: undefined, inserted: 0, start: 0 };
}

/** @returns the file from a byte on, so that the lines stand where they say */
export function fileFrom(file: Readable, offset: number): Readable {
  if (offset === 0) return file;
  return { size: () => file.size() - offset, read: (into, at) => file.read(into, at + offset) };
}
