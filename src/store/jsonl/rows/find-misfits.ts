import type { LogState } from '#store/jsonl/log/log-state.ts';
import type { RecordRows } from '#store/memory/rows/record-rows.ts';
import { encodeRows, type RowsFile } from './rows-codec.ts';
import { nameOf, type RowsFolder, type RowsPlace } from './rows-folder.ts';
import { describe } from './write-rows.ts';

/**
 * Compares the folder `rows` with the log, of which every line was read.
 * @param catchUp resolves once the index holds every change that was durable at the time of the call
 * @returns the names of files that do not say what follows from the log
 */
export async function findMisfits(
  state: LogState,
  exportRows: (first: number, count: number) => RecordRows | undefined,
  catchUp: () => Promise<unknown>,
): Promise<string[]> {
  const { rows: folder } = state.context;
  const misfits: string[] = [];
  for (const place of (await folder?.listAll()) ?? []) {
    const file = await folder?.read(place.log, place.from);
    // A server may have written it just now.
    await catchUp();
    const isMisfit = file === undefined ? await isListed(folder, place) : !fits(state, file, exportRows);
    if (isMisfit) misfits.push(nameOf(place));
  }
  return misfits;
}

/** An erase may have removed it just now. */
async function isListed(folder: RowsFolder | undefined, place: RowsPlace): Promise<boolean> {
  const places = (await folder?.listAll()) ?? [];
  return places.some(({ log, from }) => log === place.log && from === place.from);
}

function fits(
  state: LogState,
  file: RowsFile,
  exportRows: (first: number, count: number) => RecordRows | undefined,
): boolean {
  const segment = state.segments.find(({ header }) => header.number === file.log);
  if (segment === undefined) return false;
  const rows = exportRows(file.from, file.count);
  const expected = rows && describe(state, { ...file, segment }, rows);
  return expected !== undefined && encodeWithoutDead(expected).equals(encodeWithoutDead(file));
}

/** Which ranges were removed depends on the moment. */
function encodeWithoutDead(file: RowsFile): Buffer {
  return encodeRows({ ...file, dead: [] });
}
