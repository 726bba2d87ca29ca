import { decodeLine } from '#store/jsonl/log/line.ts';
import type { LogState, Segment } from '#store/jsonl/log/log-state.ts';
import type { Row } from '#store/jsonl/log/row.ts';
import type { RowsFile } from './rows-codec.ts';
import { UNKNOWN } from '#store/memory/rows/record-rows.ts';

/**
 * Takes the lines at the beginning of the current segment from the folder `rows`, as far as its files go and fit: behind
 * the first one that does not, the scan of the segment begins.
 * @param stop the first number of the next segment; Infinity if there is none
 */
export async function restoreRows(state: LogState, stop: number): Promise<void> {
  const { rows: folder } = state.context;
  if (folder?.isRead !== true) return;
  const segment = state.current;
  const { number } = segment.header;
  for (let file = await folder.read(number, state.seq + 1); file !== undefined; ) {
    if (!describes(file, state, segment)) return;
    // Read while this one is taken in.
    const next = folder.read(number, file.from + file.count);
    const isWhole = restoreFile(state, segment, file, Math.min(file.count, stop - file.from));
    segment.dead.push(...file.dead.filter(({ at }) => at < segment.end));
    file = await next;
    if (!isWhole) return;
  }
}

/** Whether the last of the lines stands where the file says: then the others do. */
function describes(file: RowsFile, state: LogState, segment: Segment): boolean {
  const { log, seed, from, count, offsets } = file;
  const { header, end } = segment;
  if (log !== header.number || seed !== header.seed || from !== state.seq + 1 || count === 0) return false;
  return (offsets[0] ?? 0) >= end && readLine(segment, file, count - 1) !== undefined;
}

/**
 * @param count how many of the lines are taken
 * @returns false if a line cannot be read that has to be
 */
function restoreFile(state: LogState, segment: Segment, file: RowsFile, count: number): boolean {
  const { visitor } = state.context;
  for (let index = 0; index < count; index++) {
    const seq = file.from + index;
    const [at, length] = [file.offsets[index] ?? 0, file.lengths[index] ?? 0];
    const isSigned = file.signed[index] === 1;
    const hasEntry = isSigned && visitor.isRecent(file.rows.times[index] ?? 0);
    if (file.rows.kinds[index] !== UNKNOWN && !hasEntry) {
      state.restore(seq, { log: file.log, at, length, isSigned });
      visitor.restore(file.rows, index, seq);
    } else {
      const row = readLine(segment, file, index);
      if (row === undefined) return false;
      state.accept(row);
      // No file is written while an erase is unfinished, and the marks of finished ones are not read.
      state.unfinished.delete(seq);
    }
    segment.end = at + length + 1;
  }
  return count === file.count;
}

/** @returns undefined unless the line stands there */
function readLine({ file, header }: Segment, rows: RowsFile, index: number): Row | undefined {
  const [at, length] = [rows.offsets[index] ?? 0, rows.lengths[index] ?? 0];
  if (length <= 0 || at + length >= file.size) return undefined;
  let bytes: Buffer;
  try {
    bytes = file.readNow(at, length);
  } catch {
    return undefined;
  }
  const line = decodeLine(bytes, header.seed);
  if (line === undefined || !('do' in line) || line.seq !== rows.from + index || line.at !== at)
    return undefined;
  return { seq: line.seq, do: line.do, log: header.number, at, bytes };
}
