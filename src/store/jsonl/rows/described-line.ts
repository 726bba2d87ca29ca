import { decodeLine, type Line, type SegmentHeader } from '#store/jsonl/log/line.ts';
import type { Row } from '#store/jsonl/log/row.ts';
import type { SegmentFile } from '#store/jsonl/log/segment-file.ts';
import type { RowsFile } from './rows-codec.ts';

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
    line.at !== at
  )
    return undefined;
  return { base: line.base, row: { seq: line.seq, do: line.do, log: number, at, bytes } };
}

/** @returns undefined if the segment does not hold the range */
export function readRange({ file }: DescribedSegment, at: number, length: number): Buffer | undefined {
  return length <= 0 || at + length >= file.size ? undefined : file.readNow(at, length);
}
