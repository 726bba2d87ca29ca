import { StoreFailure } from '#store/port/store.ts';
import { beginSegment } from './begin-segment.ts';
import { encodeBody, identityOf, isSigned } from './codec.ts';
import {
  decodeLine,
  encodeLine,
  isBlank,
  WRITE_START,
  type EraseTarget,
  type StoredOperation,
} from './line.ts';
import type { AcceptedLine, LogState } from './log-state.ts';
import { prepareToAppend } from './prepare-to-append.ts';
import { toEraseTarget } from './erasures.ts';
import { shortWriteError } from '#store/jsonl/fs/errors.ts';

const NO_TARGETS: ReadonlyMap<NewLine, EraseTarget> = new Map();

export interface NewLine {
  readonly stored: StoredOperation;
  /**
   * For an erase, the number of the line of the erased record; undefined if the store never held it. That
   * line must have been synced before: otherwise a power cut may leave it half erased, and an erase line that
   * proves nothing.
   */
  readonly erases?: number | undefined;
}

/**
 * Appends lines in a single write and syncs them. The consumer does not receive them, unless a new segment
 * was begun: then those that count were among what it received.
 * @returns the number of leading lines that count and are synced; the others are not in the log
 * @throws StoreFailure
 */
export async function appendLines(state: LogState, lines: readonly NewLine[]): Promise<number> {
  const durable = await appendOnce(state, lines);
  state.displaced = durable === 0 ? state.displaced + 1 : 0;
  return durable;
}

/** Unless a text is erased nothing is awaited before the write. */
async function appendOnce(state: LogState, lines: readonly NewLine[]): Promise<number> {
  const erases = lines.some((line) => line.erases !== undefined);
  const targets = erases ? await readTargets(state, lines) : NO_TARGETS;
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
  const isSynced = await state.sync();
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

/**
 * Where a write landed. `elsewhere`: behind lines of another process. `unknown`: what is at the expected
 * place cannot be read, so it may be what was written.
 */
type Landing = { readonly written: number } | 'elsewhere' | 'unknown';

/** Appends bytes and finds out where they landed. @throws StoreFailure if nothing was written */
async function land(state: LogState, bytes: Buffer, accepted: readonly AcceptedLine[]): Promise<Landing> {
  const { file, size: start } = state;
  let written: number;
  try {
    written = await file.append(bytes);
  } catch (error) {
    // A failed write may have written all the same.
    if (file.size > start) return 'unknown';
    throw new StoreFailure('nothing', error instanceof Error ? error.message : 'the disk failed', {
      cause: error,
    });
  }
  const landing = file.size === start + written ? { written } : await whereLanded(state, written, accepted);
  // Meanwhile readers of this process need not wait for the sync.
  if (typeof landing === 'object') state.inFlight = start + written;
  return landing;
}

async function whereLanded(
  state: LogState,
  written: number,
  [first]: readonly AcceptedLine[],
): Promise<Landing> {
  if (first === undefined) return 'elsewhere';
  const { file } = state;
  const bytes = await file.read(first.at, Math.min(first.length, file.size - first.at));
  const line = decodeLine(bytes, state.current.header.seed);
  if (line === undefined) return (await isReadable(state, first.at)) ? 'elsewhere' : 'unknown';
  const isOwn = 'do' in line && line.at === first.at && line.seq === first.seq;
  return isOwn && identityOf(line.do) === first.identity ? { written } : 'elsewhere';
}

/** Whether the piece at an offset is a line or blank. */
async function isReadable(state: LogState, at: number): Promise<boolean> {
  let isReadable = false;
  await state.file.readPieces(at, ({ bytes }) => {
    isReadable =
      bytes !== undefined && (isBlank(bytes) || decodeLine(bytes, state.current.header.seed) !== undefined);
    return false;
  });
  return isReadable;
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

async function readTargets(
  state: LogState,
  lines: readonly NewLine[],
): Promise<ReadonlyMap<NewLine, EraseTarget>> {
  const targets = new Map<NewLine, EraseTarget>();
  for (const line of lines) {
    if (line.erases !== undefined) targets.set(line, await readTarget(state, line.erases));
  }
  return targets;
}

async function readTarget(state: LogState, seq: number): Promise<EraseTarget> {
  for (const target of state.unfinished.values()) if (target.seq === seq) return target;
  const place = state.places.get(seq);
  if (place === undefined) throw new StoreFailure('nothing', 'the line of the record is unknown');
  return state.withSegment(place.log, async (file, { header: { seed } }) => {
    const bytes = await file.read(place.at, place.length);
    if (decodeLine(bytes, seed)?.seq !== seq)
      throw new StoreFailure('nothing', 'the line of the record cannot be read');
    return toEraseTarget({ log: place.log, at: place.at, seq, bytes }, seed);
  });
}
