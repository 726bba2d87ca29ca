import { join } from 'node:path';
import { parseJson } from '#runtime/parse-json.ts';
import { DAY_MS, HOUR_MS } from '#store/engine/timestamp.ts';
import { readWhole, replaceJson } from './fs/atomic-files.ts';
import type { Disk } from './fs/disk.ts';

const FILE = 'clock';

interface Times {
  /** The latest time that is certain. */
  readonly come: number | null;
  /** The earliest time that a process has read more than a day after `come`. */
  readonly jump: number | null;
}

/**
 * Reads the time by which keys, reports and denials expire. A clock that is wrong by days must not destroy
 * what limits, retries and operators need. So a jump of more than a day is only stored at first. It counts
 * once a process reads a time that is a day later. What expired while no process ran is therefore destroyed a
 * day after the next start.
 * @param now wall-clock time in milliseconds since 1970
 * @param isEmpty whether nothing could be destroyed too early
 * @returns 0 while no time is certain
 */
export async function readExpiryClock(
  disk: Disk,
  folder: string,
  now: number,
  isEmpty = false,
): Promise<number> {
  const { come, jump } = await readTimes(disk, join(folder, FILE));
  // A process that may not write goes on without storing the times.
  const store = (times: Times): Promise<void> =>
    replaceJson(disk, folder, FILE, times).catch(() => undefined);
  // By a clock that runs behind nothing expires.
  if (come !== null && now < come - DAY_MS) return now;
  const isNear = come === null ? isEmpty : now <= come + DAY_MS;
  const hasCome = isNear || (jump !== null && now >= jump + DAY_MS);
  if (!hasCome) {
    const first = Math.min(jump ?? now, now);
    if (first !== jump) await store({ come, jump: first });
    return come ?? 0;
  }
  if (jump !== null || now > (come ?? 0) + HOUR_MS)
    await store({ come: Math.max(come ?? 0, now), jump: null });
  return now;
}

async function readTimes(disk: Disk, path: string): Promise<Times> {
  const bytes = await readWhole(disk, path).catch(() => undefined);
  const { come, jump } = (parseJson(bytes?.toString() ?? '') ?? {}) as Partial<Record<string, unknown>>;
  return {
    come: typeof come === 'number' ? come : null,
    jump: typeof jump === 'number' ? jump : null,
  };
}
