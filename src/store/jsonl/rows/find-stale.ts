import type { LogState } from '#store/jsonl/log/log-state.ts';
import { UNKNOWN } from '#store/memory/rows/record-rows.ts';
import { readDescribedLine } from './described-line.ts';
import type { RowsFile } from './rows-codec.ts';
import type { RowsPlace } from './rows-folder.ts';

/**
 * Looks through the files of rows that the start did not take whole: a process that knew nothing of the folder, a power cut
 * or a backup may have left what does not fit, and no file is written in its place.
 * @param isErased whether a line adds no record that is there
 * @returns the files that are damaged, describe an erased record, or describe other lines than the segment holds
 */
export async function findStaleRows(
  state: LogState,
  isErased: (line: number) => boolean,
): Promise<RowsPlace[]> {
  const { rows: folder } = state.context;
  const stale: RowsPlace[] = [];
  for (const place of (await folder?.listAll()) ?? []) {
    // Another process may have begun a segment that this one does not know.
    if (folder === undefined || folder.isTaken(place) || place.log > state.current.header.number) continue;
    const file = await folder.read(place.log, place.from);
    const isNamedSo = file?.log === place.log && file.from === place.from;
    if (!isNamedSo || !isOfLog(state, file) || describesErased(state, file, isErased)) stale.push(place);
  }
  return stale;
}

/** Whether its lines stand where it says. Those behind `seq` were appended since the start; if there are any, the last one stands. */
function isOfLog({ segments, places, seq }: LogState, file: RowsFile): boolean {
  const { log, seed, from, count, offsets, lengths } = file;
  const index = segments.findIndex(({ header }) => header.number === log);
  const segment = segments[index];
  if (segment?.header.seed !== seed) return false;
  if (from + count > (segments[index + 1]?.header.from ?? Infinity)) return false;
  const isInPlace = lengths.every((length, line) => {
    const place = places.get(from + line);
    return from + line > seq || (place?.log === log && place.at === offsets[line] && place.length === length);
  });
  return isInPlace && readDescribedLine(segment, file, count - 1) !== undefined;
}

function describesErased(
  { seq }: LogState,
  { from, rows }: RowsFile,
  isErased: (line: number) => boolean,
): boolean {
  return rows.kinds.some((kind, line) => kind !== UNKNOWN && from + line <= seq && isErased(from + line));
}
