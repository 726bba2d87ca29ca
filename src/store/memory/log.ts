import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { ExportedRecord, LogCursor, LogLine, LogPage } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import type { RecordIndex } from './record-index.ts';

/** Lines that are looked at without a look at the time. */
const BATCH_LINES = 4096;

/**
 * Reads a page of the public log. The numbers of the lines are those of the log in the folder.
 * @param currentIndex as of `createReader`
 * @throws TextUnavailable
 */
export async function readLog(
  currentIndex: () => Promise<RecordIndex>,
  after: LogCursor | null,
  limit: number,
): Promise<LogPage | null> {
  let index = await currentIndex();
  if (after !== null && idAt(index, after.n) !== after.id) return null;
  const found: number[] = [];
  let isSliceOver = startSlice();
  for (let line = (after?.n ?? 0) + 1; line <= index.lastLine && found.length <= limit; line++) {
    if (isPublic(index, line)) found.push(line);
    if (line % BATCH_LINES > 0 || !isSliceOver()) continue;
    await nextSlice();
    index = await currentIndex();
    isSliceOver = startSlice();
  }
  // What was public before a pause may be hidden.
  const lines = found.slice(0, limit).filter((line) => isPublic(index, line));
  return {
    lines: lines.map((line) => toLogLine(index, line)),
    more: found.length > limit,
    newest: index.lastLine,
  };
}

/** @returns the id of the record that a line adds or moderates, whatever became of it */
function idAt({ table, moderations }: RecordIndex, line: number): string | undefined {
  const record = table.numberAt(line);
  return record === NONE ? moderations.atLine(line)?.id : table.ids.idOf(record);
}

function isPublic(index: RecordIndex, line: number): boolean {
  const record = index.table.numberAt(line);
  return record === NONE ? index.moderations.atLine(line) !== undefined : isReachable(index, record);
}

/** Hiding or erasing a project makes its notes unreachable. */
function isReachable({ table }: RecordIndex, record: number): boolean {
  if (!table.isVisible(record)) return false;
  if (table.kindOf(record) !== 'note') return true;
  const project = table.parentOf(record);
  return !table.isErased(project) && (!table.isThere(project) || table.isVisible(project));
}

/** @throws TextUnavailable */
function toLogLine(index: RecordIndex, line: number): LogLine {
  const record = index.table.numberAt(line);
  const moderation = index.moderations.atLine(line);
  if (moderation === undefined) return { n: line, added: toAdded(index, record) };
  if (moderation.action !== 'unhide') return { n: line, moderation };
  const added = toAdded(index, index.table.ids.find(moderation.id));
  return { n: line, moderation, ...(added && { added }) };
}

/** @returns undefined unless the record is public. @throws TextUnavailable */
function toAdded(index: RecordIndex, number: number): ExportedRecord | undefined {
  if (!isReachable(index, number)) return undefined;
  const [record] = index.readRecords([number]);
  return record && { kind: index.table.kindOf(number), record };
}
