import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { restoreLines } from './described-lines.ts';
import type { LogState } from './log-state.ts';
import { scanSegment, SegmentContinued } from './scan.ts';
import { SegmentFile } from './segment-file.ts';
import { segmentName } from './segment-names.ts';
import type { Snapshot } from './snapshot.ts';

/** Another process may begin a segment during each of them. */
const MAX_TRIES = 5;

/**
 * Reads the whole log from its first segment on, hands all lines that count to the consumer, and syncs what
 * it read.
 * @param snapshot that fits the log: what it describes is not read
 * @returns the seal of the last segment, if it has one: then the store continues in the next
 * @throws CorruptionError
 */
export async function loadLog(state: LogState, snapshot?: Snapshot): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    await state.clear();
    await state.context.consumer.reset(snapshot);
    try {
      const seal = await loadSegments(state, snapshot);
      state.context.consumer.loaded();
      return seal;
    } catch (error) {
      if (error instanceof SegmentContinued && tries < MAX_TRIES) continue;
      // Otherwise the next write would be appended to the last segment that was read, which need not be the
      // current one.
      await state.clear();
      throw error;
    }
  }
}

async function loadSegments(state: LogState, snapshot: Snapshot | undefined): Promise<string | undefined> {
  const { disk, folder } = state.context;
  await disk.syncFolder(folder);
  let name = segmentName(1);
  let proved = 0;
  let seal: string | undefined;
  for (;;) {
    await state.enter(await SegmentFile.open(disk, folder, name));
    const { header, end: headerEnd } = await state.file.readHeader();
    if (header.from !== state.seq + 1)
      throw new CorruptionError(state.file.path, 'lines before this segment are missing', 0);
    const next = segmentName(header.number + 1);
    const stop = (await state.hasSegment(header.number + 1)) ? await readFirstNumber(state, next) : Infinity;
    state.beginReading(header, headerEnd);
    if (snapshot !== undefined) await restoreLines(state, snapshot, stop);
    const source = state.sourceOf(state.file, header, stop);
    const result = await scanSegment(source, state.position, (line) => {
      state.accept(line);
    });
    state.finishScan(result);
    proved = Math.max(proved, result.proved);
    if (stop === Infinity) {
      seal = result.seal;
      break;
    }
    state.olderBytes += state.file.size;
    name = next;
  }
  await state.file.sync();
  state.base = Math.min(proved, state.seq);
  state.unproved = state.base < state.seq ? state.seq : 0;
  return seal;
}

async function readFirstNumber({ context: { disk, folder } }: LogState, name: string): Promise<number> {
  const file = await SegmentFile.open(disk, folder, name);
  try {
    return (await file.readHeader()).header.from;
  } finally {
    await file.close();
  }
}
