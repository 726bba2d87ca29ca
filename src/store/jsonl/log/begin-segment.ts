import { randomInt } from 'node:crypto';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { removeFile, writeAll } from '#store/jsonl/fs/atomic-files.ts';
import { isError, shortWriteError } from '#store/jsonl/fs/errors.ts';
import {
  bodyOf,
  encodeLine,
  FORMAT,
  headerLine,
  withoutText,
  WRITE_START,
  type EraseTarget,
  type CountedLine,
  type SegmentHeader,
  type StoredOperation,
} from './line.ts';
import type { LogState } from './log-state.ts';
import { appendClaim } from './marks.ts';
import { enterSegment, followSeal } from './next-segment.ts';
import { toEraseTarget } from './erasures.ts';
import { scanSegment, SegmentContinued, type Position } from './scan.ts';
import { numberOfTemporary, segmentName, temporarySegmentName } from './segment-names.ts';

/** A failed sync may damage what shares a page with the bytes that were not written. */
const PAGE_BYTES = 4096;

/** Processes that begin segments in turn wait up to so long for each other. */
const MAX_PAUSE_MS = 50;

/**
 * Begins the next segment, with a copy of the lines that are not known to be synced, and continues in it. If
 * another process is first, continues in its segment.
 * @throws Error if the disk fails; nothing that was acknowledged is lost
 */
export async function beginSegment(state: LogState): Promise<void> {
  const number = state.current.header.number + 1;
  for (let tries = 0; state.current.header.number < number; tries++) {
    if (tries > 0) {
      await state.context.pause(randomInt(MAX_PAUSE_MS * tries));
      // Writers displace the seal as long as they write.
      await appendClaim(state).catch(() => undefined);
    }
    await tryToBegin(state, number);
  }
}

/** Tries once, and gives up if other lines come before the seal: they may prove the rest. */
export function tryToBeginSegment(state: LogState): Promise<void> {
  return tryToBegin(state, state.current.header.number + 1);
}

/** The file comes before the reading, so that an erase sees the copy: see docs/storage.md. */
async function tryToBegin(state: LogState, number: number): Promise<void> {
  const { disk, folder, report } = state.context;
  const temporary = temporarySegmentName(number);
  const file = await disk.open(state.path(temporary), 'create');
  let mayBeNamed = false;
  let isHandedOver = false;
  try {
    const tail = await readTail(state, number);
    if (tail.isContinued) {
      await followSeal(state, tail.seal);
      return;
    }
    await writeAll(file, encodeCopy(tail.lines, number, tail.from));
    await file.sync();
    await disk.syncFolder(folder);
    // If the append throws, the seal may stand nevertheless.
    mayBeNamed = true;
    const seal = await appendSeal(state, tail, temporary);
    mayBeNamed = seal === 'stands';
    if (seal === 'cut off') throw shortWriteError();
    if (seal === 'displaced') return;
    const isOwn = await linkIfFree(disk, state.path(temporary), state.path(segmentName(number)));
    await disk.syncFolder(folder);
    await removeTemporaries(state, number);
    isHandedOver = isOwn;
    await enterSegment(state, isOwn ? file : undefined);
    report(`goes on in ${segmentName(number)}, since the last lines before it were not known to be synced`);
  } finally {
    if (!isHandedOver) await file.close();
    if (!mayBeNamed) await removeFile(disk, state.path(temporary));
  }
}

/** @returns false if another process was first; it may have removed `from` since then */
async function linkIfFree(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to);
    return true;
  } catch (error) {
    if (isError(error, 'EEXIST') || isError(error, 'ENOENT')) return false;
    throw error;
  }
}

interface Tail {
  readonly from: number;
  readonly lines: readonly CountedLine[];
  readonly seal: string | undefined;
  readonly isContinued: boolean;
  readonly size: number;
  /** The last number of the segment. */
  readonly seq: number;
}

/** Reads again what is not known to be synced: the memory may hold lines that the disk lost. */
async function readTail(state: LogState, number: number): Promise<Tail> {
  const start = tailStart(state);
  const from = start.seq + 1;
  const lines: CountedLine[] = [];
  const source = state.sourceOf(state.file, state.current.header);
  try {
    const { seal, size, position } = await scanSegment(source, start, (line) => lines.push(line));
    const isContinued = seal !== undefined || (await state.hasSegment(number));
    return { from, lines, seal, isContinued, size, seq: position.seq };
  } catch (error) {
    if (!(error instanceof SegmentContinued)) throw error;
    return { from, lines, seal: undefined, isContinued: true, size: 0, seq: 0 };
  }
}

/** @returns the position before the first line that shares a page with a line behind `base` */
function tailStart({ current, places, base }: LogState): Position {
  const { number, from } = current.header;
  const last = places.get(base);
  if (last?.log !== number) return { offset: current.headerEnd, seq: from - 1 };
  const page = Math.floor((last.at + last.length) / PAGE_BYTES) * PAGE_BYTES;
  for (let seq = base; seq >= from; seq--) {
    const place = places.get(seq);
    if (place?.log !== number) break;
    if (place.at < page) return { offset: place.at, seq: seq - 1 };
  }
  return { offset: current.headerEnd, seq: from - 1 };
}

function encodeCopy(lines: readonly CountedLine[], number: number, from: number): Buffer {
  const upto = lines.at(-1)?.seq ?? from - 1;
  const header: SegmentHeader = { format: FORMAT, number, from, upto, seed: randomInt(2 ** 32) };
  const pieces = [headerLine(header)];
  let at = headerLine(header).length;
  const erased = new Set(lines.flatMap(({ do: stored }) => targetOf(stored)?.seq ?? []));
  const copies = new Map<number, EraseTarget>();
  for (const line of lines) {
    const { seq } = line;
    const place = { at, seq, base: from - 1 };
    let bytes = encodeLine(place, encodeCopyBody(line, copies), header.seed);
    if (isAddition(line.do)) {
      const copy = { log: number, at, seq, bytes: bytes.subarray(0, -1) };
      const target = toEraseTarget(copy, header.seed);
      copies.set(seq, target);
      if (erased.has(seq))
        bytes = Buffer.concat([withoutText(copy.bytes, target.span, header.seed).bytes, Buffer.from('\n')]);
    }
    pieces.push(bytes);
    at += bytes.length;
  }
  return Buffer.concat(pieces);
}

const isAddition = (stored: StoredOperation): boolean => 'add' in stored;

function targetOf(stored: StoredOperation): EraseTarget | undefined {
  return 'moderate' in stored ? stored.line : undefined;
}

/** An erase line names the copy of its target, if the target is copied too. */
function encodeCopyBody(
  { do: stored, bytes }: CountedLine,
  copies: ReadonlyMap<number, EraseTarget>,
): string {
  const copy = copies.get(targetOf(stored)?.seq ?? 0);
  return copy === undefined ? bodyOf(bytes) : `"do":${JSON.stringify({ ...stored, line: copy })}`;
}

/** The seal is judged by the place where it landed; `displaced`: other lines came before it. */
async function appendSeal(
  { file, base, current }: LogState,
  tail: Tail,
  temporary: string,
): Promise<'stands' | 'displaced' | 'cut off'> {
  const place = {
    at: tail.size + WRITE_START.length,
    seq: tail.seq + 1,
    base: Math.min(base, tail.from - 1),
  };
  const line = encodeLine(place, `"seal":"${temporary}"`, current.header.seed);
  const bytes = Buffer.concat([WRITE_START, line]);
  if (file.size !== tail.size) return 'displaced';
  if ((await file.append(bytes)) < bytes.length) return 'cut off';
  const stands =
    file.size === tail.size + bytes.length || (await file.read(place.at, line.length)).equals(line);
  return stands ? 'stands' : 'displaced';
}

/** Removes copies made for a segment that has its name by now. Safe only after a sync of the folder. */
export async function removeTemporaries(state: LogState, number: number): Promise<void> {
  const { disk, folder } = state.context;
  for (const name of await disk.list(folder)) {
    const made = numberOfTemporary(name);
    if (made !== undefined && made <= number) await removeFile(disk, state.path(name));
  }
  await disk.syncFolder(folder);
}
