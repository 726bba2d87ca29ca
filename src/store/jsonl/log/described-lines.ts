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
    if (seq % LINES_BETWEEN_LOOKS > 0 || !isSliceOver()) continue;
    await nextSlice();
    isSliceOver = startSlice();
  }
  await forgetWiped(state);
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
async function forgetWiped(state: LogState): Promise<void> {
  const { current, unfinished } = state;
  for (const erase of [...unfinished.keys()])
    for await (const { bytes } of piecesBetween(state, current, erase + 1)) {
      const line = bytes && decodeLine(bytes, current.header.seed);
      if (line !== undefined && 'wiped' in line) state.finishErase(line.wiped);
      if (!unfinished.has(erase)) break;
    }
}

/**
 * Reads what is between the lines of a segment that count.
 * @param from the number of the first line before which to look
 * @throws Error if it cannot be read
 */
export async function* piecesBetween(
  { places }: LogState,
  { file, header, headerEnd }: Segment,
  from: number,
): AsyncGenerator<Piece, void> {
  const first = Math.max(from, header.from);
  const before = places.get(first - 1);
  let start = before?.log === header.number ? before.at + before.length + 1 : headerEnd;
  let isSliceOver = startSlice();
  // Later lines may count in the next segment.
  for (let seq = first, place = places.get(seq); place?.log === header.number; place = places.get(++seq)) {
    if (place.at - start > WRITE_START.length) {
      const bytes = file.readNow(start, place.at - start);
      if (bytes === undefined) throw new Error(`${file.path} cannot be read at byte ${start}`);
      yield* toPieces(bytes, start);
    }
    start = place.at + place.length + 1;
    if (seq % LINES_BETWEEN_LOOKS > 0 || !isSliceOver()) continue;
    await nextSlice();
    isSliceOver = startSlice();
  }
}

/** @param from the offset of the bytes */
function* toPieces(bytes: Buffer, from: number): Generator<Piece, void> {
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed < 0 ? bytes.length : feed;
    yield { at: from + at, bytes: bytes.subarray(at, end), length: end - at };
    at = end + 1;
  }
}
