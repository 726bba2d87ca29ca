import { join } from 'node:path';
import { parseJson } from '#runtime/json.ts';
import { DAY_MS, HOUR_MS } from '#store/engine/timestamp.ts';
import { readWhole, replaceJson } from './fs/atomic-files.ts';
import type { Disk } from './fs/disk.ts';

const FILE = 'clock';

/** The content of the file. */
interface Times {
  /** The latest certain time. */
  readonly come: number | null;
  /** The earliest suspected time: one that a process read more than a day after the certain time. */
  readonly jump: number | null;
}

/**
 * Reads the time by which keys, reports and denials expire. A clock that is wrong by days must not destroy
 * what limits, retries and operators need. So a jump of more than a day is only stored at first, and counts
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
  const { come: certain, jump: suspected } = await readTimes(disk, join(folder, FILE));
  // A process without write access continues without storing the times.
  const store = (times: Times): Promise<void> =>
    replaceJson(disk, folder, FILE, times).catch(() => undefined);
  // If the clock is behind, nothing expires.
  if (certain !== null && now < certain - DAY_MS) return now;
  const isNear = certain === null ? isEmpty : now <= certain + DAY_MS;
  const isCertain = isNear || (suspected !== null && now >= suspected + DAY_MS);
  if (!isCertain) {
    const first = Math.min(suspected ?? now, now);
    if (first !== suspected) await store({ come: certain, jump: first });
    return certain ?? 0;
  }
  if (suspected !== null || now > (certain ?? 0) + HOUR_MS)
    await store({ come: Math.max(certain ?? 0, now), jump: null });
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
