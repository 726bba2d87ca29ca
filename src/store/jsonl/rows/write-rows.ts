import type { LogState, Segment } from '#store/jsonl/log/log-state.ts';
import type { RecordRows } from '#store/memory/rows/record-rows.ts';
import type { RowsFile } from './rows-codec.ts';

/** The lines of one file. */
export interface RowsRange {
  readonly segment: Segment;
  readonly from: number;
  readonly count: number;
}

/**
 * Writes the first file that is missing in the folder `rows`, if all its lines are synced and no text waits to be erased.
 * @param exportRows as of `RecordIndex`; returns undefined as long as the index does not hold these lines
 * @returns the lines of the file that was written; undefined if none was
 */
export async function writeMissingRows(
  state: LogState,
  exportRows: (first: number, count: number) => RecordRows | undefined,
): Promise<Pick<RowsRange, 'from' | 'count'> | undefined> {
  const { rows: folder } = state.context;
  const range = folder && (await findMissing(state));
  // Nothing is awaited from here to the columns, so that they are of one moment.
  if (range === undefined || state.unfinished.size > 0 || !state.segments.includes(range.segment))
    return undefined;
  const rows = exportRows(range.from, range.count);
  const file = rows && describe(state, range, rows);
  return file !== undefined && (await folder?.write(file)) === true ? range : undefined;
}

async function findMissing(state: LogState): Promise<RowsRange | undefined> {
  const { rows: folder } = state.context;
  const linesPerFile = folder?.linesPerFile ?? Infinity;
  for (const [index, segment] of [...state.segments].entries()) {
    const next = state.segments[index + 1]?.header.from;
    const end = next ?? state.base + 1;
    const there = await folder?.list(segment.header.number);
    for (let { from } = segment.header; from < end; from += linesPerFile) {
      const count = Math.min(linesPerFile, end - from);
      // The current segment goes on growing.
      if (next === undefined && count < linesPerFile) break;
      if (there?.has(from) !== true) return { segment, from, count };
    }
  }
  return undefined;
}

/** @returns what a file says of the lines; undefined if one of them is not in the segment */
export function describe(
  state: LogState,
  { segment, from, count }: RowsRange,
  rows: RecordRows,
): RowsFile | undefined {
  const { number: log, seed } = segment.header;
  const [offsets, lengths] = [new Float64Array(count), new Int32Array(count)];
  const signed = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const place = state.places.get(from + index);
    if (place?.log !== log) return undefined;
    offsets[index] = place.at;
    lengths[index] = place.length;
    signed[index] = place.isSigned ? 1 : 0;
  }
  const before = state.places.get(from - 1);
  const start = before?.log === log ? before.at : 0;
  const dead = segment.dead.filter(({ at }) => at > start && at < (offsets[count - 1] ?? 0));
  return { log, seed, from, count, dead, rows, offsets, lengths, signed };
}
