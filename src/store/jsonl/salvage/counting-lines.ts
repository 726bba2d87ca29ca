import { decodeLine, withoutText } from '#store/jsonl/log/line.ts';
import type { Erasure } from '#store/jsonl/log/erasures.ts';
import type { Loss } from '#store/store.ts';
import type { FoundSegment, PlacedLine } from './read-segment.ts';

/** What is known of a segment from outside. */
export interface Surroundings {
  /** In the name of the segment. */
  readonly number: number;
  /** The first number that later segments give to other lines; Infinity if there is none. */
  readonly stop: number;
  /** Whether the segment has to hold all numbers before `stop`, since the next one follows it. */
  readonly isFollowed: boolean;
  /** Erase lines of all segments. */
  readonly erasures: readonly Erasure[];
}

export interface CountingLines {
  readonly lines: readonly PlacedLine[];
  readonly losses: readonly Loss[];
  /** The last number that counts. */
  readonly last: number;
}

/**
 * Finds the lines that count, as `scanSegment` does, and goes on behind damage. There a line counts if it
 * stands at the byte that it names, if no later line has its number or a lower one, and if a line behind it
 * proves that the number before it was synced: only then that line is missing because of damage, and not
 * because a crash kept it from being written.
 */
export function findCountingLines(segment: FoundSegment, around: Surroundings): CountingLines {
  const { from, upto, start, size, name } = segment;
  const { stop, isFollowed } = around;
  const required = Math.min(isFollowed ? Infinity : Math.max(segment.required, upto), stop - 1);
  const lines: PlacedLine[] = [];
  const losses: Loss[] = [];
  const first = Math.min(from, stop);
  const { firm, pending } = followChain(segment, around, first);
  let last = first - 1;
  let end = start;
  const lose = (count: number, to: number): void => {
    losses.push({ file: name, bytes: [end, to], what: linesAre(count, 'damaged or missing') });
  };
  for (const line of [...firm, ...pending]) {
    const gap = line.seq - 1 - last;
    if (gap > 0 && line.seq - 1 > required) break;
    if (gap > 0) lose(gap, line.at);
    lines.push(line);
    last = line.seq;
    end = line.at + line.length + 1;
  }
  if (required > last) lose(required - last, size);
  return { lines, losses, last: Math.max(last, required) };
}

export function linesAre(count: number, what: string): string {
  return `${count} ${count === 1 ? 'line is' : 'lines are'} ${what}`;
}

/** @returns `firm`: lines whose numbers follow each other; `pending`: lines behind them, if damage lies between */
function followChain(
  segment: FoundSegment,
  around: Surroundings,
  first: number,
): { firm: PlacedLine[]; pending: PlacedLine[] } {
  const firm: PlacedLine[] = [];
  let pending: PlacedLine[] = [];
  for (const line of segment.lines) {
    const next = first + firm.length;
    if (line.seq < next || line.seq >= around.stop) continue;
    if (line.damaged !== undefined && !isBeingErased(line, line.damaged, segment, around)) {
      // It may have replaced a line that a power cut had left alone.
      const replaced = pending.findLastIndex(({ seq }) => seq === line.seq);
      if (replaced >= 0) pending.splice(replaced, 1);
    } else if (line.seq === next) {
      firm.push(line);
      pending = [];
    } else {
      while ((pending.at(-1)?.seq ?? 0) >= line.seq) pending.pop();
      pending.push(line);
    }
  }
  return { firm, pending };
}

/** Whether the process that erased the line was stopped in the middle of it: the line counts, without its text. */
function isBeingErased(
  { at, length, seq }: PlacedLine,
  bytes: Buffer,
  { seed = 0, upto }: FoundSegment,
  { number, erasures }: Surroundings,
): boolean {
  const erasure = erasures.find(
    ({ target, base }) =>
      target.log === number &&
      target.at === at &&
      target.length === length &&
      target.seq === seq &&
      (base >= seq || seq <= upto),
  );
  if (erasure === undefined) return false;
  const blank = withoutText(bytes, erasure.target.span, seed);
  return blank.sum === erasure.target.sum && decodeLine(blank.bytes, seed) !== undefined;
}
