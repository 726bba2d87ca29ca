import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { placeFile } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { CorruptionError, isError } from '#store/jsonl/fs/errors.ts';
import { finishErasures } from './erase.ts';
import { FORMAT, headerLine, OLDER_FORMAT } from './line.ts';
import { loadLog } from './load.ts';
import { LogState, type LogContext } from './log-state.ts';
import { followSeal } from './next-segment.ts';
import { SegmentFile } from './segment-file.ts';
import { isSegmentName, segmentName } from './segment-names.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Opens the log of a store: segments to which several processes append without a lock. A line counts only
 * where its writer expected it; of two writers that read the same end, the second finds its lines displaced.
 * Reads the log, and removes what an interrupted erase left.
 * @param mayCreate whether to create a store if the folder holds none
 * @param snapshot as of `loadLog`
 * @returns what the functions of this folder work on; its user calls one of them at a time
 * @throws CorruptionError if the folder holds something else than a whole store, or nothing and nothing may
 *   be created
 */
export async function openLog(
  context: LogContext,
  mayCreate: boolean,
  snapshot: Snapshot | undefined,
): Promise<LogState> {
  const { disk, folder, report } = context;
  await ensureFirstSegment(disk, folder, mayCreate);
  const state = new LogState(context, await SegmentFile.open(disk, folder, segmentName(1)));
  try {
    const seal = await loadLog(state, snapshot);
    if (seal !== undefined) await followSeal(state, seal);
  } catch (error) {
    await state.close();
    throw error;
  }
  if (state.unfinished.size > 0) {
    await finishErasures(state).catch((error: unknown) => {
      report(`an interrupted erase cannot be finished, run it again: ${String(error)}`);
    });
  }
  return state;
}

/** Files of format 1, in which `CURRENT` names the log. */
const OF_FORMAT_1 = /^(?:CURRENT|log-\d{6,}-[0-9a-f]{16}\.jsonl)$/;

async function ensureFirstSegment(disk: Disk, folder: string, mayCreate: boolean): Promise<void> {
  const first = segmentName(1);
  const names = await readNames(disk, folder);
  const older = names.find((name) => OF_FORMAT_1.test(name));
  if (older !== undefined) throw new CorruptionError(join(folder, older), OLDER_FORMAT);
  if (names.includes(first)) return;
  if (names.some(isSegmentName))
    throw new CorruptionError(join(folder, first), 'the first segment is missing; restore it from a backup');
  if (!mayCreate) throw new CorruptionError(folder, 'there is no store in this folder');
  await disk.makeFolder(folder);
  const header = headerLine({ format: FORMAT, number: 1, from: 1, upto: 0, seed: randomInt(2 ** 32) });
  await placeFile(disk, folder, first, header);
}

async function readNames(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (isError(error, 'ENOENT')) return [];
    throw error;
  }
}
