import { nextSlice, startSlice } from '#runtime/slice.ts';
import { decodeLine, WRITE_START, type CountedLine } from './line.ts';
import type { LogState, Segment } from './log-state.ts';
import type { Piece } from './read-pieces.ts';
import type { LinePlace } from './line-places.ts';
import { indexInPart, partNumber, type Snapshot } from './snapshot.ts';

const LINES_BETWEEN_LOOKS = 256;
const LINE_FEED = 0x0a;

/**
 * Takes the first lines of the current segment from the snapshot, and reads those of which it says nothing
 * else. Behind a line that cannot be read the scan begins.
 * @param stop the first number of the next segment; Infinity if there is none
 */
export async function restoreLines(state: LogState, snapshot: Snapshot, stop: number): Promise<void> {
  const { count, segments } = snapshot.head;
  const { current, places, context } = state;
  // Of a segment that was begun later it describes nothing.
  const isDescribed = segments.some(({ number }) => number === current.header.number);
  const last = isDescribed ? Math.min(count, stop - 1) : 0;
  let isSliceOver = startSlice();
  for (let seq = state.seq + 1; seq <= last; seq++) {
    const part = snapshot.part(partNumber(seq));
    const index = indexInPart(seq);
    const [at, length] = [part.at[index] ?? 0, part.length[index] ?? 0];
    const place = { log: current.header.number, at, length, isSigned: part.isSigned[index] === 1 };
    if (context.consumer.restore(seq)) {
      places.set(seq, place);
      state.seq = seq;
    } else {
      const line = readLine(current, seq, place);
      if (line === undefined) break;
      state.accept(line);
    }
    current.end = at + length + 1;
    current.restoredTo = seq;
    if (seq % LINES_BETWEEN_LOOKS > 0 || !isSliceOver()) continue;
    await nextSlice();
    isSliceOver = startSlice();
  }
  forgetWiped(state);
}

function readLine(
  { file, header }: Segment,
  seq: number,
  { log, at, length }: LinePlace,
): CountedLine | undefined {
  const bytes = file.readNow(at, length);
  const line = bytes && decodeLine(bytes, header.seed);
  const isInPlace = line?.seq === seq && line.at === at;
  return isInPlace && 'do' in line && bytes !== undefined ? { seq, do: line.do, log, at, bytes } : undefined;
}

/** The marks of finished erases stand between the lines. */
function forgetWiped(state: LogState): void {
  const { current, unfinished } = state;
  for (const erase of [...unfinished.keys()])
    for (const { bytes } of piecesBetween(state, current, erase + 1)) {
      const line = bytes && decodeLine(bytes, current.header.seed);
      if (line !== undefined && 'wiped' in line) unfinished.delete(line.wiped);
      if (!unfinished.has(erase)) break;
    }
}

/**
 * What is between the lines of a segment that were taken from the snapshot: no scan has read it.
 * @param from the number of the first line before which to look
 * @throws Error if it cannot be read
 */
export function* piecesBetween({ places }: LogState, segment: Segment, from = 1): Generator<Piece> {
  const { file, header, headerEnd, restoredTo } = segment;
  for (let seq = Math.max(from, header.from); seq <= restoredTo; seq++) {
    const [before, place] = [places.get(seq - 1), places.get(seq)];
    // The later lines count in the next segment.
    if (place?.log !== header.number) return;
    const start = before?.log === header.number ? before.at + before.length + 1 : headerEnd;
    if (place.at - start <= WRITE_START.length) continue;
    const bytes = file.readNow(start, place.at - start);
    if (bytes === undefined) throw new Error(`${file.path} cannot be read at byte ${start}`);
    for (let at = 0; at < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, at);
      const end = feed < 0 ? bytes.length : feed;
      yield { at: start + at, bytes: bytes.subarray(at, end), length: end - at };
      at = end + 1;
    }
  }
}
