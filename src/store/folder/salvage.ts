import { join } from 'node:path';
import { kindOf, type ModerationEntry } from '#store/port/records.ts';
import type { Loss, Salvage } from '#store/port/store.ts';
import type { Disk } from './fs/disk.ts';
import { readHistory } from './history.ts';
import {
  decodeErased,
  decodeLine,
  FIRST_LINE,
  holdsNothing,
  LOG,
  toOperation,
  type EraseTarget,
  type Line,
} from './line.ts';
import { readPieces } from './pieces.ts';
import { State } from './state.ts';

/** A line of a damaged log. */
interface FoundLine {
  readonly line: Line;
  readonly from: number;
  readonly to: number;
}

/**
 * Reads the whole lines of a damaged log whose checksums fit, wherever they stand, and changes nothing.
 * Nothing that an erase line names is part of the history, whether that line counts or not.
 * @throws CorruptionError if something else than a file has the name of the log
 */
export async function salvageFolder(disk: Disk, folder: string): Promise<Salvage> {
  const file = await disk.open(join(folder, LOG), 'read');
  const found = new Map<number, FoundLine>();
  const losses: Loss[] = [];
  const lose = (from: number, to: number, what: string): void => {
    losses.push({ file: LOG, bytes: [from, to], what });
  };
  try {
    const size = file.size();
    const pieces: { readonly at: number; readonly bytes: Buffer | undefined }[] = [];
    let at = 0;
    for (;;) {
      const read = await readPieces(file, at, size);
      if (read.end === at) break;
      pieces.push(...read.pieces);
      at = read.end;
    }
    if (!FIRST_LINE.subarray(0, -1).equals(pieces[0]?.bytes ?? Buffer.alloc(0)))
      lose(0, FIRST_LINE.length, 'the first line is damaged');
    if (at < size)
      lose(at, size, 'the last line is cut off, by a crash before it was acknowledged or by damage');
    addLines(pieces, found);
  } finally {
    await file.close();
  }
  const lines = [...found.values()].sort((a, b) => a.line.seq - b.line.seq);
  let [seq, end] = [0, FIRST_LINE.length];
  for (const { line, from, to } of lines) {
    const missing = line.seq - seq - 1;
    if (missing > 0)
      lose(
        Math.min(end, from),
        from,
        `${missing} ${missing === 1 ? 'line is' : 'lines are'} damaged or missing`,
      );
    [seq, end] = [line.seq, to];
  }
  return toSalvage(lines, losses);
}

/**
 * @param found gets the lines by number: of several with one number the last that stands where it was written
 */
function addLines(
  pieces: readonly { readonly at: number; readonly bytes: Buffer | undefined }[],
  found: Map<number, FoundLine>,
): void {
  const erased = new Map<number, EraseTarget>();
  const decoded = pieces.map(({ bytes }) => bytes && decodeLine(bytes));
  for (const line of decoded)
    if (line !== undefined && 'moderate' in line.do && line.do.line !== undefined)
      erased.set(line.do.line.at, line.do.line);
  for (const [index, { at, bytes }] of pieces.entries()) {
    const target = erased.get(at);
    const line = decoded[index] ?? (bytes && target && decodeErased(bytes, target));
    if (line === undefined || bytes === undefined || holdsNothing(bytes)) continue;
    if (line.at === at || !found.has(line.seq))
      found.set(line.seq, { line, from: at, to: at + bytes.length });
  }
}

function toSalvage(lines: readonly FoundLine[], losses: readonly Loss[]): Salvage {
  const all = [...losses];
  const state = new State();
  const erased = new Set(
    lines.flatMap(({ line: { do: stored } }) =>
      'moderate' in stored && stored.moderate === 'erase' ? stored.id : [],
    ),
  );
  const byPlace = new Map(lines.map((found) => [found.from, found.line]));
  for (const { line, from, to } of lines) {
    const operation = toOperation(line.do, undefined);
    if (operation.action === 'add' && erased.has(operation.record.id)) continue;
    state.apply(operation, { seq: line.seq, at: from, length: to - from });
  }
  // An import refuses to hide a record that it does not have.
  const isOrphaned = ({ action, id }: Pick<ModerationEntry, 'action' | 'id'>): boolean =>
    action !== 'erase' && state.find(id)?.presence === 'awaited';
  for (const { line, from, to } of lines)
    if ('moderate' in line.do && isOrphaned({ ...line.do, action: line.do.moderate as 'hide' }))
      all.push({
        file: LOG,
        bytes: [from, to],
        what: `the line moderates a ${kindOf(line.do.id)} that is lost`,
      });
  const log = { readLines: (places: readonly { at: number }[]) => places.map(({ at }) => byPlace.get(at)) };
  async function* history(): ReturnType<Salvage['history']> {
    for await (const entry of readHistory({ current: async () => state, log }))
      if (!('action' in entry && isOrphaned(entry))) yield entry;
  }
  return { history, losses: all, frozen: state.frozen };
}
