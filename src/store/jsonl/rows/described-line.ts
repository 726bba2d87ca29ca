import type { Disk } from '#store/jsonl/fs/disk.ts';
import { decodeLine, sumOf, type Line, type SegmentHeader } from '#store/jsonl/log/line.ts';
import type { Row } from '#store/jsonl/log/row.ts';
import { SegmentFile } from '#store/jsonl/log/segment-file.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import type { RowsFile } from './rows-codec.ts';

/**
 * Whether the last line that a file of rows describes stands in the log. Otherwise it is the file of another store, or of a
 * later time than the log.
 * @param folder the data folder
 */
export async function isInLog(disk: Disk, folder: string, rows: RowsFile): Promise<boolean> {
  try {
    const file = await SegmentFile.open(disk, folder, segmentName(rows.log));
    try {
      const { header } = await file.readHeader();
      const isOfSegment = header.seed === rows.seed && header.number === rows.log;
      return isOfSegment && readDescribedLine({ file, header }, rows, rows.count - 1) !== undefined;
    } finally {
      await file.close();
    }
  } catch {
    // The start says why.
    return false;
  }
}

/** The segment that a file of rows describes. */
interface DescribedSegment {
  readonly file: SegmentFile;
  readonly header: SegmentHeader;
}

export interface FoundLine extends Pick<Line, 'base'> {
  readonly row: Row;
}

/** @returns a line of which a file of rows gives the place; undefined unless it stands there */
export function readDescribedLine(
  segment: DescribedSegment,
  rows: RowsFile,
  index: number,
): FoundLine | undefined {
  const { number, seed } = segment.header;
  const at = rows.offsets[index] ?? 0;
  const bytes = readRange(segment, at, rows.lengths[index] ?? 0);
  const line = bytes && decodeLine(bytes, seed);
  if (
    bytes === undefined ||
    line === undefined ||
    !('do' in line) ||
    line.seq !== rows.from + index ||
    line.at !== at ||
    (index === rows.count - 1 && sumOf(bytes) !== rows.sum)
  )
    return undefined;
  return { base: line.base, row: { seq: line.seq, do: line.do, log: number, at, bytes } };
}

/** @returns undefined if the segment does not hold the range */
export function readRange({ file }: DescribedSegment, at: number, length: number): Buffer | undefined {
  return length <= 0 || at + length >= file.size ? undefined : file.readNow(at, length);
}
