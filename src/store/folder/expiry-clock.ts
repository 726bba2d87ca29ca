import { join } from 'node:path';
import { parseJson } from '#runtime/parse-json.ts';
import { DAY_MS, HOUR_MS } from '#store/engine/timestamp.ts';
import { readWhole, replaceFileBy, writeAll } from './fs/atomic-files.ts';
import type { Disk } from './fs/disk.ts';

const FILE = 'clock';

interface Times {
  /** The latest time that is certain. */
  readonly come: number | null;
  /** The earliest time that a process has read more than a day after `come`. */
  readonly jump: number | null;
}

/**
 * The time by which keys, reports and denials expire. A clock that is wrong by days must not destroy what
 * limits, retries and operators need. So a jump of more than a day is only stored at first. It counts once a
 * process reads a time that is a day later. What expired while no process ran is therefore destroyed a day
 * after the next start.
 */
export class ExpiryClock {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #clock: { now: () => number };

  constructor(disk: Disk, folder: string, clock: { now: () => number }) {
    this.#disk = disk;
    this.#folder = folder;
    this.#clock = clock;
  }

  /** @param isEmpty whether nothing could be destroyed too early @returns 0 while no time is certain */
  async read(isEmpty = false): Promise<number> {
    const now = this.#clock.now();
    const { come, jump } = await this.#readTimes();
    // By a clock that runs behind nothing expires.
    if (come !== null && now < come - DAY_MS) return now;
    const isNear = come === null ? isEmpty : now <= come + DAY_MS;
    const hasCome = isNear || (jump !== null && now >= jump + DAY_MS);
    if (!hasCome) {
      const first = Math.min(jump ?? now, now);
      if (first !== jump) await this.#store({ come, jump: first });
      return come ?? 0;
    }
    if (jump !== null || now > (come ?? 0) + HOUR_MS)
      await this.#store({ come: Math.max(come ?? 0, now), jump: null });
    return now;
  }

  async #readTimes(): Promise<Times> {
    const bytes = await readWhole(this.#disk, join(this.#folder, FILE)).catch(() => undefined);
    const { come, jump } = (parseJson(bytes?.toString() ?? '') ?? {}) as Partial<Record<string, unknown>>;
    return {
      come: typeof come === 'number' ? come : null,
      jump: typeof jump === 'number' ? jump : null,
    };
  }

  /** A process that may not write goes on without storing the times. */
  async #store(times: Times): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(times));
    await replaceFileBy(this.#disk, this.#folder, FILE, (file) => writeAll(file, bytes)).catch(
      () => undefined,
    );
  }
}
