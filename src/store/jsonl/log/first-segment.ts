import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { isError, placeFile, readWhole } from '#store/jsonl/fs/atomic-files.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { FORMAT, headerLine } from './line.ts';
import { isLogName, segmentName } from './segment-names.ts';
import { upgradeLog } from './upgrade.ts';

/** Of a store that the first edition made: the name of its log. */
const CURRENT = 'CURRENT';

/**
 * @param mayCreate whether to create a store if the folder holds none
 * @returns the name of the first segment. A log of format 1 is carried over first.
 * @throws CorruptionError if the folder holds something else than a whole store, or nothing and nothing may
 *   be created
 */
export async function findFirstSegment(disk: Disk, folder: string, mayCreate: boolean): Promise<string> {
  const current = await readWhole(disk, join(folder, CURRENT));
  if (current !== undefined) return upgradeLog(disk, folder, current.toString().replace(/\n$/, ''));
  const first = segmentName(1);
  const names = await namesIn(disk, folder);
  // The first edition leaves a log without CURRENT if it crashes in its first start.
  if (names.includes(first)) return upgradeLog(disk, folder, first);
  if (names.some(isLogName))
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
