import { sumOf } from '#store/jsonl/log/line.ts';
import type { LogState, Segment } from '#store/jsonl/log/log-state.ts';
import type { RecordRows } from '#store/memory/rows/record-rows.ts';
import type { RowsFile } from './rows-codec.ts';
import { nameOf, type RowsPlace } from './rows-folder.ts';

/** The lines of one file. */
export interface RowsRange {
  readonly segment: Segment;
  readonly from: number;
  readonly count: number;
}

/**
 * Removes what writers that died have left in the folder `rows`, and writes the first file that is missing there, if all its
 * lines are synced and no text waits to be erased.
 * @param exportRows as of `RecordIndex`; returns undefined as long as the index does not hold these lines
 * @param catchUp resolves to whether the index holds every change that was durable at the time of the call
 * @returns false if none is missing, or it cannot be written now
 */
export async function writeMissingRows(
  state: LogState,
  exportRows: (first: number, count: number) => RecordRows | undefined,
  catchUp: () => Promise<boolean>,
): Promise<boolean> {
  const { rows: folder } = state.context;
  await folder?.removeAbandoned().catch(() => undefined);
  const range = folder && findMissing(state, folder.linesPerFile, await folder.listAll());
  if (folder === undefined || range === undefined || state.unfinished.size > 0) return false;
  const { segment, from, count } = range;
  return folder.write({ log: segment.header.number, from }, async () => {
    // Nothing is awaited from here to the columns, so that they are of one moment.
    if (!(await catchUp()) || state.unfinished.size > 0 || !state.segments.includes(segment))
      return undefined;
    const rows = exportRows(from, count);
    return rows && describe(state, range, rows);
  });
}

function findMissing(
  { segments, base }: LogState,
  linesPerFile: number,
  places: readonly RowsPlace[],
): RowsRange | undefined {
  const there = new Set(places.map((place) => nameOf(place)));
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]?.header.from;
    const end = next ?? base + 1;
    for (let { from } = segment.header; from < end; from += linesPerFile) {
      const count = Math.min(linesPerFile, end - from);
      // The current segment goes on growing.
      if (next === undefined && count < linesPerFile) break;
      if (!there.has(nameOf({ log: segment.header.number, from }))) return { segment, from, count };
    }
  }
  return undefined;
}

/** @returns what a file says of the lines; undefined if one of them is not in the segment, or cannot be read */
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
  const last = segment.file.readNow(offsets[count - 1] ?? 0, lengths[count - 1] ?? 0);
  return last && { log, seed, from, count, sum: sumOf(last), dead, rows, offsets, lengths, signed };
}
