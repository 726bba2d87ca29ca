import { nextSlice, startSlice } from '#runtime/slice.ts';
import { kindOf, type ExportedRecord, type ModerationEntry } from '#store/port/records.ts';
import type { LogCursor, LogLine, LogPage } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import { isVisible, type Item } from './item.ts';
import { readExported, withTexts, type Source } from './records.ts';
import type { State } from './state.ts';
import { merged } from './time-order.ts';

const BATCH_SIZE = 64;
/** Lines that are visited before the slice is checked again. */
const BATCH_LINES = 4096;

/** Reads the whole store. A record that is erased during the read is left out. @throws TextUnavailable */
export async function* readHistory(
  source: Pick<Source, 'currentState' | 'log'>,
): ReturnType<Reader['history']> {
  const { visible, hidden } = await source.currentState();
  const lists = [...Object.values(visible), hidden].map((list) => list.slice());
  const read = (batch: readonly Item[]): Promise<ExportedRecord[]> =>
    withTexts(async () => {
      await source.currentState();
      const items = batch.filter(({ presence }) => presence === 'there');
      return readExported(source, items);
    });
  let batch: Item[] = [];
  for (const item of merged(lists, '')) {
    if (batch.push(item) < BATCH_SIZE) continue;
    yield* await read(batch);
    batch = [];
  }
  yield* await read(batch);
  // Read last, so that they include the erase of a record that was left out.
  const { moderations } = await source.currentState();
  for (const { createdAt: _, ...moderation } of moderations.slice()) yield moderation;
}

/** A page of the public log, with the numbers of the lines in the folder. @throws TextUnavailable */
export async function readLog(
  source: Source,
  after: LogCursor | null,
  limit: number,
): Promise<LogPage | null> {
  let state = await source.currentState(after?.id);
  if (after !== null && !isLine(state.lines[after.n], after)) return null;
  const found: number[] = [];
  let isSliceOver = startSlice();
  for (let n = (after?.n ?? 0) + 1; n < state.lines.length && found.length <= limit; n++) {
    if (isPublic(state, n)) found.push(n);
    if (n % BATCH_LINES > 0 || !isSliceOver()) continue;
    await nextSlice();
    state = await source.currentState();
    isSliceOver = startSlice();
  }
  // A record may have been hidden during a pause.
  const shown = found.slice(0, limit).filter((n) => isPublic(state, n));
  return {
    lines: toLogLines(source, state, shown),
    more: found.length > limit,
    newest: Math.max(0, state.lines.length - 1),
  };
}

function isLine(line: Item | ModerationEntry | undefined, { id, at }: LogCursor): boolean {
  if (line?.id !== id) return false;
  if (at === undefined) return true;
  return isModeration(line) ? line.at === at : line.presence === 'erased' || line.createdAt === at;
}

const isModeration = (line: Item | ModerationEntry): line is ModerationEntry => 'action' in line;

function isPublic({ lines }: State, n: number): boolean {
  const line = lines[n];
  return line !== undefined && (isModeration(line) || isReachable(line));
}

/** Hiding or erasing a project makes its notes unreachable. */
function isReachable(item: Item): boolean {
  if (!isVisible(item)) return false;
  const { parent } = item;
  return kindOf(item.id) !== 'note' || parent?.presence === 'awaited' || isVisible(parent ?? undefined);
}

/** @throws TextUnavailable */
function toLogLines(source: Source, state: State, numbers: readonly number[]): LogLine[] {
  const added = numbers.map((n) => {
    const line = state.lines[n];
    if (line === undefined || !isModeration(line)) return line;
    return line.action === 'unhide' ? state.find(line.id) : undefined;
  });
  const shown = added.filter((item) => item !== undefined && isReachable(item)) as Item[];
  const records = new Map(readExported(source, shown).map((exported) => [exported.record.id, exported]));
  return numbers.map((n, index) => {
    const line = state.lines[n];
    const exported = records.get(added[index]?.id ?? '');
    if (line === undefined || !isModeration(line)) return { n, added: exported };
    return { n, moderation: line, ...(exported && { added: exported }) };
  });
}
