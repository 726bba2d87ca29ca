import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { isError, placeFile } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { FORMAT, headerLine, OLDER_FORMAT } from './line.ts';
import { isSegmentName, segmentName } from './segment-names.ts';

/** Files of format 1, in which `CURRENT` names the log. */
const OF_FORMAT_1 = /^(?:CURRENT|log-\d{6,}-[0-9a-f]{16}\.jsonl)$/;

/**
 * @param mayCreate whether to create a store if the folder holds none
 * @returns the name of the first segment
 * @throws CorruptionError if the folder holds something else than a whole store, or nothing and nothing may
 *   be created
 */
export async function findFirstSegment(disk: Disk, folder: string, mayCreate: boolean): Promise<string> {
  const first = segmentName(1);
  const names = await namesIn(disk, folder);
  const older = names.find((name) => OF_FORMAT_1.test(name));
  if (older !== undefined) throw new CorruptionError(join(folder, older), OLDER_FORMAT);
  if (names.includes(first)) return first;
  if (names.some(isSegmentName))
    throw new CorruptionError(join(folder, first), 'the first segment is missing; restore it from a backup');
  if (!mayCreate) throw new CorruptionError(folder, 'there is no store in this folder');
  await disk.makeFolder(folder);
  const header = headerLine({ format: FORMAT, number: 1, from: 1, upto: 0, seed: randomInt(2 ** 32) });
  await placeFile(disk, folder, first, header);
  return first;
}

async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (isError(error, 'ENOENT')) return [];
    throw error;
  }
}
