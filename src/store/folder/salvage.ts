import { join } from 'node:path';
import type { Loss, Salvage } from '#store/port/store.ts';
import type { Disk } from './fs/disk.ts';
import { readHistory } from './history.ts';
import {
  decodeLine,
  FIRST_LINE,
  holdsNothing,
  type DecodedLine,
  LOG,
  MAX_LINE_BYTES,
  type Piece,
  readFully,
  readPieces,
  type Span,
  toOperation,
} from './line.ts';
import { checkNames } from './open-log.ts';
import { State } from './state.ts';

interface FoundLine {
  readonly line: DecodedLine;
  readonly from: number;
  readonly to: number;
}

/**
 * Reads every line of a damaged log whose checksum is right, wherever it stands. Changes nothing. The history
 * leaves out every record that an erase line names, whether or not that line counts.
 * @throws CorruptionError if the folder holds no log
 */
export async function salvageFolder(disk: Disk, folder: string): Promise<Salvage> {
  checkNames(folder, await disk.list(folder), true);
  const file = await disk.open(join(folder, LOG), 'read');
  const losses: Loss[] = [];
  const lose = (from: number, to: number, what: string): void => {
    losses.push({ file: LOG, bytes: [from, to], what });
  };
  const pieces: Piece[] = [];
  try {
    const size = file.size();
    let offset = 0;
    for (;;) {
      const read = await readPieces(file, offset, size);
      if (read.end === offset) break;
      for (const piece of read.pieces) pieces.push(piece);
      offset = read.end;
    }
    if (!FIRST_LINE.subarray(0, -1).equals(pieces[0]?.bytes ?? Buffer.alloc(0)))
      lose(0, Math.min(FIRST_LINE.length, size), 'the first line is damaged');
    const length = size - offset;
    if (length > 0) {
      const bytes = length > MAX_LINE_BYTES ? undefined : await readFully(file, offset, length);
      pieces.push({ offset, bytes, length });
    }
  } finally {
    await file.close();
  }
  const { lines, erased, unread } = findLines(pieces);
  let seq = 0;
  let end = FIRST_LINE.length;
  for (const { line, from, to } of lines) {
    let missing = 0;
    while (++seq < line.seq) if (!erased.has(seq)) missing += 1;
    const subject = missing === 1 ? 'line is' : 'lines are';
    if (missing > 0) lose(Math.min(end, from), from, `${missing} ${subject} damaged or missing`);
    end = to;
  }
  // A missing line leaves a gap in the numbers, except after the last line, where only bytes show it.
  const last = lines.reduce((end, { to }) => Math.max(end, to), 0);
  for (const { offset: from, length } of unread)
    if (from > last)
      lose(from, from + length, 'a line is damaged, or was cut off by a crash before it was acknowledged');
  return toSalvage(lines, losses);
}

/** Of several lines with one number, the last one that begins at the byte that it names is taken. */
function findLines(pieces: readonly Piece[]): {
  lines: FoundLine[];
  erased: ReadonlySet<number>;
  unread: Piece[];
} {
  const found = new Map<number, FoundLine>();
  const unread: Piece[] = [];
  // The record of such a line is erased and not lost, wherever damage has moved the rest of the line.
  const erased = new Set<number>();
  for (const piece of pieces) {
    const { offset: from, bytes, length } = piece;
    const line = bytes && decodeLine(bytes);
    if (line === undefined) {
      if (bytes === undefined || !holdsNothing(bytes)) unread.push(piece);
      continue;
    }
    if ('moderate' in line.do && line.do.line !== undefined) erased.add(line.do.line.seq);
    if (line.offset === from || !found.has(line.seq)) found.set(line.seq, { line, from, to: from + length });
  }
  return { lines: [...found.values()].sort((a, b) => a.line.seq - b.line.seq), erased, unread };
}

function toSalvage(lines: readonly FoundLine[], losses: readonly Loss[]): Salvage {
  const state = new State();
  const erased = new Set(
    lines.flatMap(({ line: { do: stored } }) =>
      'moderate' in stored && stored.moderate === 'erase' ? stored.id : [],
    ),
  );
  const byOffset = new Map(lines.map((found) => [found.from, found.line]));
  for (const { line, from, to } of lines) {
    const operation = toOperation(line.do);
    if (operation.action === 'add' && erased.has(operation.record.id)) continue;
    state.apply(operation, { seq: line.seq, offset: from, length: to - from });
  }
  state.arrange();
  const log = { readLines: (spans: readonly Span[]) => spans.map(({ offset }) => byOffset.get(offset)) };
  return {
    // Includes moderations of lost records, so that these stay hidden once a backup has restored them.
    history: () => readHistory({ currentState: async () => state, log }),
    losses,
    frozen: state.frozen,
  };
}
