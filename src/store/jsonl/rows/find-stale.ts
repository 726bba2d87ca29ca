import type { LogState } from '#store/jsonl/log/log-state.ts';
import { UNKNOWN } from '#store/memory/rows/record-rows.ts';
import type { RowsFile } from './rows-codec.ts';
import type { RowsPlace } from './rows-folder.ts';

/**
 * Looks through the files of rows that the start did not take whole: a process that knew nothing of the folder, a power cut
 * or a backup may have left what does not fit, and no file is written in its place.
 * @param isErased whether a line adds no record that is there
 * @returns the files that are damaged, describe an erased record, are of another store, or reach into the next segment
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
    if (!isNamedSo || !isFit(state, file, isErased)) stale.push(place);
  }
  return stale;
}

function isFit(
  { segments, seq }: LogState,
  { log, seed, from, count, rows }: RowsFile,
  isErased: (line: number) => boolean,
): boolean {
  const index = segments.findIndex(({ header }) => header.number === log);
  if (segments[index]?.header.seed !== seed) return false;
  if (from + count > (segments[index + 1]?.header.from ?? Infinity)) return false;
  // Lines behind `seq` were appended since the start.
  return rows.kinds.every((kind, line) => kind === UNKNOWN || from + line > seq || !isErased(from + line));
}
