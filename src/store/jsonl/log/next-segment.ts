import { CorruptionError, isError } from '#store/jsonl/fs/errors.ts';
import type { DiskFile } from '#store/jsonl/fs/disk.ts';
import { loadLog } from './load.ts';
import { toAcceptedLine, type LogState } from './log-state.ts';
import type { CountedLine } from './line.ts';
import { scanSegment } from './scan.ts';
import { SegmentFile } from './segment-file.ts';
import { segmentName } from './segment-names.ts';

/**
 * Goes on in the next segment. The process that wrote the seal may have died before it gave the segment its
 * name; then this one does.
 * @param seal the temporary name of the next segment, undefined if the segment has its name already
 * @throws CorruptionError if there is no next segment
 */
export async function followSeal(state: LogState, seal: string | undefined): Promise<void> {
  const { disk, folder } = state.context;
  const name = segmentName(state.current.header.number + 1);
  if (seal !== undefined) {
    await disk.link(state.path(seal), state.path(name)).catch((error: unknown) => {
      if (!isError(error, 'EEXIST') && !isError(error, 'ENOENT')) throw error;
    });
  }
  await disk.syncFolder(folder);
  if (!(await state.hasSegment(state.current.header.number + 1)))
    throw new CorruptionError(state.file.path, `the next segment is missing: ${name}`);
  await enterSegment(state);
}

/**
 * Makes the next segment the current one. It may hold copies of lines that were read before, or other lines
 * in their place if those were lost; then everything is read again.
 * @param created the file, if this process has made it
 */
export async function enterSegment(state: LogState, created?: DiskFile): Promise<void> {
  const { disk, folder } = state.context;
  const name = segmentName(state.current.header.number + 1);
  const file = await SegmentFile.open(disk, folder, name, created).catch(async (error: unknown) => {
    await created?.close();
    throw error;
  });
  try {
    const { header, end: headerEnd } = await file.readHeader();
    await readUpTo(state, header.from);
    const lines: CountedLine[] = [];
    const from = { offset: headerEnd, seq: header.from - 1 };
    const result = await scanSegment(state.sourceOf(file, header), from, (line) => lines.push(line));
    await file.sync();
    const known = state.seq;
    const holdsTheSame = result.position.seq >= known && firstOther(state, lines) === undefined;
    if (!holdsTheSame) {
      await file.close();
      const replaced = firstReplaced(state, lines, result.position.seq);
      if (replaced !== undefined) state.context.consumer.replaced(replaced);
      const seal = await loadLog(state);
      if (seal !== undefined) await followSeal(state, seal);
      return;
    }
    closeOldSegment(state, header.from);
    state.olderBytes += state.file.size;
    await state.enter(file);
    state.beginReading(header, headerEnd);
    for (const line of lines) {
      if (line.seq > known) state.accept(line);
      else state.remember(toAcceptedLine(line));
    }
    state.finishScan(result);
    state.base = Math.min(result.proved, state.seq);
    state.unproved = state.base < state.seq ? state.seq : 0;
    state.syncFailed = false;
    if (result.seal !== undefined) await followSeal(state, result.seal);
  } catch (error) {
    if (state.file !== file) await file.close().catch(() => undefined);
    throw error;
  }
}

/** @returns the first line that was read and is not in the next segment; undefined if there is none */
function firstReplaced(state: LogState, lines: readonly CountedLine[], last: number): number | undefined {
  return firstOther(state, lines) ?? (last < state.seq ? last + 1 : undefined);
}

/** @returns the first number that has another line in the next segment */
function firstOther(state: LogState, lines: readonly CountedLine[]): number | undefined {
  // Lines that are known to be synced do not change, though not all of them are remembered.
  const other = lines.find(
    (line) => line.seq > state.base && line.seq <= state.seq && !state.isKnown(toAcceptedLine(line)),
  );
  return other?.seq;
}

/** Reads the lines before the next segment that were not read yet. */
async function readUpTo(state: LogState, from: number): Promise<void> {
  if (state.seq >= from - 1) return;
  const source = state.sourceOf(state.file, state.current.header, from);
  const result = await scanSegment(source, state.position, (line) => {
    state.accept(line);
  });
  state.finishScan(result);
  if (state.seq < from - 1)
    throw new CorruptionError(state.file.path, 'lines before the next segment are missing');
}

/** Everything behind the last line before `from` is dead now. */
function closeOldSegment({ current, places }: LogState, from: number): void {
  const last = places.get(from - 1);
  current.end = last?.log === current.header.number ? last.at + last.length + 1 : current.headerEnd;
}
