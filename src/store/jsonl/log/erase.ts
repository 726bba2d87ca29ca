import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { beginSegment, removeTemporaries } from './begin-segment.ts';
import { piecesBetween } from './described-lines.ts';
import { blankedBytes, decodeLine, isWriteStart, withoutText, type EraseTarget } from './line.ts';
import type { LogState, Segment } from './log-state.ts';
import { appendMarks } from './marks.ts';
import { followSeal } from './next-segment.ts';
import { prepareToAppend } from './prepare-to-append.ts';
import type { Piece } from './read-pieces.ts';
import type { SegmentFile } from './segment-file.ts';
import { numberOfTemporary, segmentName } from './segment-names.ts';
import { removeSnapshot } from './snapshot.ts';

/** Bytes of a segment. */
interface Range {
  readonly at: number;
  length: number;
}

/** By number of the erase line: the line that it names is not where it names it. */
type WrongLines = Map<number, CorruptionError>;

/**
 * Overwrites the texts of all erased records that may still be in a segment, and everything that does not
 * count, with spaces. It writes whether the text is still there or not: after a failed sync the memory of
 * the system may hold spaces where the disk holds the text. It looks for new segments afterwards, since
 * another process may copy the text at the same time.
 * @throws Error if a text may still be there; a line that cannot be found stops this erase, not the later
 *   ones
 */
export async function finishErasures(state: LogState): Promise<void> {
  const wrong = await overwriteAll(state);
  const finished = [...state.unfinished.keys()].filter((seq) => !wrong.has(seq));
  // What the snapshot says of the records goes before the erases count as finished.
  await removeSnapshot(state.context);
  state.unfinished.clear();
  if (finished.length > 0) {
    await appendMarks(
      state,
      finished.map((seq) => `"wiped":${seq}`),
    ).catch((error: unknown) => {
      state.context.report(`an erase is complete, but cannot be marked so: ${String(error)}`);
    });
  }
  for (const error of wrong.values()) throw error;
}

async function overwriteAll(state: LogState): Promise<WrongLines> {
  for (let failures = 0; ; ) {
    await prepareToAppend(state);
    // A line may have been copied to a new segment, and then removed here: so each round judges anew.
    const wrong: WrongLines = new Map();
    const failed = await overwriteSegments(state, wrong);
    if (failed !== undefined) {
      if (failures > 0) throw failed as Error;
      failures += 1;
      await beginSegment(state);
    } else if (!(await hasMovedOn(state))) {
      state.wipedTo = state.seq;
      return wrong;
    }
  }
}

/** @returns the failure of a sync; undefined if all overwritten bytes are synced */
async function overwriteSegments(state: LogState, wrong: WrongLines): Promise<unknown> {
  const targets = [...state.unfinished];
  for (const segment of state.segments) {
    const own = targets.filter(([, { log }]) => log === segment.header.number);
    const failed = await state.withSegment(segment.header.number, async (file) =>
      overwriteSegment(state, segment, file, own, wrong),
    );
    if (failed !== undefined) return failed;
  }
  return undefined;
}

async function overwriteSegment(
  state: LogState,
  segment: Segment,
  file: SegmentFile,
  targets: readonly (readonly [number, EraseTarget])[],
  wrong: WrongLines,
): Promise<unknown> {
  const isOlder = segment !== state.current;
  const size = file.size;
  const dead = await findDead(piecesBetween(state, segment, state.wipedTo + 1), segment.header.seed);
  const isUnchanged = dead.length === 0 && (!isOlder || size === segment.end);
  if (targets.length === 0 && isUnchanged) return undefined;
  for (const [seq, target] of targets) {
    if (await overwriteText(segment, file, target)) continue;
    const reason = 'this is not the line that was erased; nothing was written here';
    wrong.set(seq, new CorruptionError(file.path, reason, target.at));
  }
  for (const { at, length } of dead) await overwriteRange(file, at, length);
  if (isOlder) await overwriteEnd(segment, file, size);
  try {
    await file.syncOverwrites();
  } catch (error) {
    return error;
  }
  if (isOlder) segment.end = size;
  return undefined;
}

/** @returns the ranges that hold, or held, a text of a line that does not count; adjacent ones are one */
async function findDead(pieces: AsyncIterable<Piece>, seed: number): Promise<Range[]> {
  const dead: Range[] = [];
  for await (const piece of pieces) {
    if (!isDead(piece, seed)) continue;
    const { at, length } = piece;
    const last = dead.at(-1);
    if (last !== undefined && last.at + last.length + 1 === at) last.length = at + length - last.at;
    else dead.push({ at, length });
  }
  return dead;
}

/** @returns false, and writes nothing, if another line is there */
async function overwriteText({ header }: Segment, file: SegmentFile, target: EraseTarget): Promise<boolean> {
  const { at, length, span, sum } = target;
  const blank = withoutText(await file.read(at, length), span, header.seed);
  if (blank.sum !== sum) return false;
  await file.overwrite(blank.bytes.subarray(span[0]), at + span[0]);
  return true;
}

const RANGE_BYTES = 1024 * 1024;

async function overwriteRange(file: SegmentFile, at: number, length: number): Promise<void> {
  for (let done = 0; done < length; done += RANGE_BYTES) {
    const bytes = await file.read(at + done, Math.min(RANGE_BYTES, length - done));
    await file.overwrite(blankedBytes(bytes), at + done);
  }
}

/** Overwrites what does not count behind the last line that counts: a late writer may have appended it. */
async function overwriteEnd({ end, header }: Segment, file: SegmentFile, size: number): Promise<void> {
  const dead: { at: number; length: number }[] = [];
  const read = await file.readPieces(end, (piece) => {
    if (isDead(piece, header.seed)) dead.push(piece);
    return true;
  });
  for (const { at, length } of dead) await overwriteRange(file, at, length);
  if (read.end < size) await overwriteRange(file, read.end, size - read.end);
}

/** @returns whether the work has to be repeated, since another segment was begun */
async function hasMovedOn(state: LogState): Promise<boolean> {
  const { disk, folder } = state.context;
  const { number } = state.current.header;
  const names = await disk.list(folder);
  if (names.includes(segmentName(number + 1))) {
    await followSeal(state, undefined);
    return true;
  }
  if (names.some((name) => (numberOfTemporary(name) ?? 0) > number)) {
    await beginSegment(state);
    return true;
  }
  await removeTemporaries(state, number);
  return false;
}

/** Whether a piece behind all lines that count holds, or held, a text that does not count. */
function isDead({ bytes, length }: Piece, seed: number): boolean {
  if (length === 0 || (bytes !== undefined && isWriteStart(bytes))) return false;
  const line = bytes && decodeLine(bytes, seed);
  return line === undefined || ('do' in line && 'add' in line.do);
}
