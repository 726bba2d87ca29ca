import { StoreFailure } from '#store/store.ts';
import { beginSegment } from './begin-segment.ts';
import { encodeBody, identityOf, isSigned } from './codec.ts';
import { land } from './landing.ts';
import { decodeLine, encodeLine, WRITE_START, type EraseTarget, type StoredOperation } from './line.ts';
import type { AcceptedLine, LogState } from './log-state.ts';
import { withSegment } from './older-segments.ts';
import { prepareToAppend } from './prepare-to-append.ts';
import { eraseTargetOf } from './erasures.ts';
import { shortWriteError } from './short-write-error.ts';
import { syncSegment } from './sync-segment.ts';

const NO_TARGETS: ReadonlyMap<NewLine, EraseTarget> = new Map();

/** A line to append. */
export interface NewLine {
  readonly stored: StoredOperation;
  /**
   * For an erase, the number of the line of the erased record; undefined if the store never held it. That
   * line must have been synced before: otherwise a power cut may leave it half erased, and an erase line that
   * proves nothing.
   */
  readonly erases?: number | undefined;
}

/** As `Log.append`. */
export async function appendLines(state: LogState, lines: readonly NewLine[]): Promise<number> {
  const durable = await appendOnce(state, lines);
  state.displaced = durable === 0 ? state.displaced + 1 : 0;
  return durable;
}

/** Unless a text is erased nothing is awaited before the write. */
async function appendOnce(state: LogState, lines: readonly NewLine[]): Promise<number> {
  const erases = lines.some((line) => line.erases !== undefined);
  const targets = erases ? await targetsOf(state, lines) : NO_TARGETS;
  if (state.hasMoved()) return 0;
  const { bytes, accepted } = encodeLines(state, lines, targets);
  const start = state.size;
  const landing = await whileAppending(state, land(state, bytes, accepted));
  if (landing === 'elsewhere') return 0;
  if (landing === 'unknown') return inNewSegment(state, accepted);
  const size = start + landing.written;
  const standing = accepted.filter(({ at, length }) => at + length < size);
  if (standing.length === 0) {
    state.inFlight = undefined;
    throw new StoreFailure('nothing', 'the disk took only a part of the write', { cause: shortWriteError() });
  }
  const isSynced = await syncSegment(state);
  state.inFlight = undefined;
  if (!isSynced) return inNewSegment(state, standing);
  for (const line of standing) state.remember(line);
  const end = standing.reduce((_, { at, length }) => at + length + 1, 0);
  state.finishAppend(end, landing.written === bytes.length ? size : 0);
  return standing.length;
}

async function whileAppending<Result>(state: LogState, work: Promise<Result>): Promise<Result> {
  state.appending = work.then(
    () => undefined,
    () => undefined,
  );
  try {
    return await work;
  } finally {
    state.appending = undefined;
  }
}

/** The fate of lines after a failed sync: those that are in the copy of the tail count. */
async function inNewSegment(state: LogState, lines: readonly AcceptedLine[]): Promise<number> {
  try {
    await beginSegment(state);
    await prepareToAppend(state);
  } catch (error) {
    throw new StoreFailure('unknown', error instanceof Error ? error.message : 'the disk failed', {
      cause: error,
    });
  }
  const missing = lines.findIndex((line) => !state.isKnown(line));
  return missing < 0 ? lines.length : missing;
}

interface EncodedLines {
  readonly bytes: Buffer;
  readonly accepted: readonly AcceptedLine[];
}

function encodeLines(
  state: LogState,
  lines: readonly NewLine[],
  targets: ReadonlyMap<NewLine, EraseTarget>,
): EncodedLines {
  const { number: log, seed } = state.current.header;
  const pieces: Buffer[] = [WRITE_START];
  const accepted: AcceptedLine[] = [];
  let at = state.size + WRITE_START.length;
  lines.forEach((line, index) => {
    const seq = state.seq + 1 + index;
    const target = targets.get(line);
    const stored = target === undefined ? line.stored : { ...line.stored, line: target };
    const bytes = encodeLine({ at, seq, base: state.base }, encodeBody(stored), seed);
    pieces.push(bytes);
    const place = { log, at, length: bytes.length - 1, isSigned: isSigned(stored) };
    accepted.push({ seq, ...place, identity: identityOf(stored), target });
    at += bytes.length;
  });
  return { bytes: Buffer.concat(pieces), accepted };
}

/** @returns by erase line, its target */
async function targetsOf(
  state: LogState,
  lines: readonly NewLine[],
): Promise<ReadonlyMap<NewLine, EraseTarget>> {
  const targets = new Map<NewLine, EraseTarget>();
  for (const line of lines) {
    if (line.erases !== undefined) targets.set(line, await targetOf(state, line.erases));
  }
  return targets;
}

async function targetOf(state: LogState, seq: number): Promise<EraseTarget> {
  for (const target of state.unfinished.values()) if (target.seq === seq) return target;
  const place = state.places.get(seq);
  if (place === undefined) throw new StoreFailure('nothing', 'the line of the record is unknown');
  return withSegment(state, place.log, async (file, { header: { seed } }) => {
    const bytes = await file.read(place.at, place.length);
    if (decodeLine(bytes, seed)?.seq !== seq)
      throw new StoreFailure('nothing', 'the line of the record cannot be read');
    return eraseTargetOf({ log: place.log, at: place.at, seq, bytes }, seed);
  });
}
