import { decodeLine, type StoredOperation } from './line.ts';
import type { LogState, Segment } from './log-state.ts';
import type { LinePlace } from './line-places.ts';

/** Lines with no more than this between them are read at once. */
const MAX_GAP_BYTES = 8 * 1024;
const MAX_READ_BYTES = 512 * 1024;

interface WantedLine extends LinePlace {
  /** The index of its number in the request. */
  readonly index: number;
  readonly seq: number;
}

/**
 * Reads lines by number, neighbours with one system call.
 * @returns for each number what its line holds; undefined for a line that cannot be read
 */
export function readLines(state: LogState, seqs: readonly number[]): (StoredOperation | undefined)[] {
  const wanted = seqs.flatMap((seq, index): WantedLine[] => {
    const place = state.places.get(seq);
    return place === undefined ? [] : [{ ...place, seq, index }];
  });
  wanted.sort((a, b) => a.log - b.log || a.at - b.at);
  const found = new Array<StoredOperation | undefined>(seqs.length).fill(undefined);
  for (let start = 0; start < wanted.length; ) {
    const end = endOfRun(wanted, start);
    const run = wanted.slice(start, end);
    const segment = state.segments.find(({ header }) => header.number === run[0]?.log);
    if (segment !== undefined) readRun(segment, run, found);
    start = end;
  }
  return found;
}

/** @returns the index behind the last line that is read together with the one at `start` */
function endOfRun(lines: readonly WantedLine[], start: number): number {
  const first = lines[start];
  let end = start + 1;
  for (let last = first; ; end++) {
    const next = lines[end];
    if (first === undefined || last === undefined || next?.log !== first.log) return end;
    if (next.at - (last.at + last.length) > MAX_GAP_BYTES) return end;
    if (next.at + next.length - first.at > MAX_READ_BYTES) return end;
    last = next;
  }
}

function readRun(
  { file, header }: Segment,
  run: readonly WantedLine[],
  found: (StoredOperation | undefined)[],
): void {
  const start = run[0]?.at ?? 0;
  const last = run.at(-1);
  const bytes = file.readNow(start, last === undefined ? 0 : last.at + last.length - start);
  for (const { at, length, seq, index } of run) {
    const line = bytes && decodeLine(bytes.subarray(at - start, at - start + length), header.seed);
    if (line !== undefined && 'do' in line && line.seq === seq) found[index] = line.do;
  }
}
