import { recordIn } from '#store/jsonl/log/codec.ts';
import { withoutText, type StoredOperation } from '#store/jsonl/log/line.ts';
import type { LogState, LogVisitor, Segment } from '#store/jsonl/log/log-state.ts';
import { readDescribedLine, readRange } from './described-line.ts';
import type { RowsFile } from './rows-codec.ts';
import type { RowsFolder } from './rows-folder.ts';
import { UNKNOWN } from '#store/memory/rows/record-rows.ts';

/**
 * Takes the lines at the beginning of the current segment from the folder `rows`, as far as its files go and fit: behind
 * the first one that does not, the scan of the segment begins.
 * @param stop the first number of the next segment; Infinity if there is none
 * @returns a number up to which all lines are known to be synced
 */
export async function restoreRows(state: LogState, stop: number): Promise<number> {
  const { rows: folder } = state.context;
  let proved = 0;
  if (folder?.isRead !== true) return proved;
  const segment = state.current;
  for (let file = await readFile(folder, segment, state.seq + 1); file !== undefined; ) {
    const { rows, base } = file;
    // The event loop does its other work before it is there.
    const next = await readFile(folder, segment, rows.from + rows.count);
    // Which lines stand is known of those that the writer of a later line knew to be synced.
    const known = Math.max(base, next?.base ?? 0, stop === Infinity ? 0 : stop - 1);
    if (!follows(rows, segment.end) || !stands(rows, segment, known)) break;
    proved = base;
    const count = Math.min(rows.count, stop - rows.from);
    const { isWhole, isStale } = restoreFile(state, segment, rows, count, known);
    segment.dead.push(...rows.dead.filter(({ at }) => at < segment.end));
    if (isWhole && !isStale) folder.noteTaken(rows);
    if (!isWhole) break;
    file = next;
  }
  return Math.min(proved, state.seq);
}

interface StandingFile {
  readonly rows: RowsFile;
  /** The last number that the writer of its last line knew to be synced. */
  readonly base: number;
}

/** @returns undefined unless there is a file of the segment that begins with that line, and whose last line stands there */
async function readFile(
  folder: RowsFolder,
  segment: Segment,
  first: number,
): Promise<StandingFile | undefined> {
  const rows = await folder.read(segment.header.number, first);
  const { number, seed } = segment.header;
  if (rows?.from !== first || rows.count === 0 || rows.log !== number || rows.seed !== seed) return undefined;
  const last = readDescribedLine(segment, rows, rows.count - 1);
  return last && { rows, base: last.base };
}

/** @param end of what stands before the first line */
function follows(rows: RowsFile, end: number): boolean {
  return (rows.offsets[0] ?? 0) >= end && isBetweenLines(rows, end);
}

/**
 * Whether all lines behind a number stand in the segment; the last one does. The log may be older than the file, and a power
 * cut may have torn lines that were synced only when the file was written.
 */
function stands(rows: RowsFile, segment: Segment, known: number): boolean {
  for (let index = Math.max(0, known + 1 - rows.from); index < rows.count - 1; index++)
    if (readDescribedLine(segment, rows, index) === undefined) return false;
  return true;
}

/** Whether all dead ranges stand between lines: an erase overwrites them. @param end of what stands before the first line */
function isBetweenLines({ dead, offsets, lengths, count }: RowsFile, end: number): boolean {
  let index = 0;
  return dead.every(({ at, length }) => {
    while (index < count && (offsets[index] ?? 0) + (lengths[index] ?? 0) < at) index += 1;
    return at >= end && (index === count || at + length < (offsets[index] ?? 0));
  });
}

interface RestoredFile {
  /** False if some lines were not taken. */
  readonly isWhole: boolean;
  /** Whether the file describes a record that a line which was read shows as erased. */
  readonly isStale: boolean;
}

/**
 * @param count how many of the lines are taken, until one that has to be read cannot be
 * @param known the lines behind this number are read, so that they are known again once a later line proves them
 */
function restoreFile(
  state: LogState,
  segment: Segment,
  file: RowsFile,
  count: number,
  known: number,
): RestoredFile {
  const { visitor } = state.context;
  const proved = Math.min(count, known + 1 - file.from);
  let isStale = false;
  for (let index = 0; index < count; ) {
    const end = endOfUnread(file, index, proved, visitor);
    if (end > index) {
      state.restore(file, index, end, file.from + index);
      visitor.restore(file.rows, index, end, file.from + index);
      index = end;
      continue;
    }
    const line = readDescribedLine(segment, file, index);
    if (line === undefined) return { isWhole: false, isStale };
    state.accept(line.row);
    isStale ||= file.rows.kinds[index] !== UNKNOWN && recordIn(line.row.do) === undefined;
    // The marks of finished erases are not read, and none was unfinished when the file was written. But the log may be an
    // older copy than the file.
    if (isWiped(state, line.row.do)) state.unfinished.delete(line.row.seq);
    segment.end = line.row.at + line.row.bytes.length + 1;
    index += 1;
  }
  return { isWhole: count === file.count, isStale };
}

/** @returns the index, from `start` on, of the first line that has to be read, at most `count` unless `start` is higher */
function endOfUnread(
  { rows, signed }: RowsFile,
  start: number,
  count: number,
  visitor: Pick<LogVisitor, 'isRecent'>,
): number {
  let index = start;
  while (index < count && rows.kinds[index] !== UNKNOWN) {
    if (signed[index] === 1 && visitor.isRecent(rows.times[index] ?? 0)) break;
    index += 1;
  }
  return index;
}

/** Whether a line erases a text that is gone from where it stood. */
function isWiped({ segments }: LogState, stored: StoredOperation): boolean {
  const target = 'moderate' in stored ? stored.line : undefined;
  const segment = segments.find(({ header }) => header.number === target?.log);
  if (target === undefined || segment === undefined) return false;
  const bytes = readRange(segment, target.at, target.length);
  return bytes !== undefined && withoutText(bytes, target.span, segment.header.seed).bytes.equals(bytes);
}
