import type { DayCount, Reader } from '#store/store.ts';
import { MINUTE_MS } from './text/durations.ts';

/** Counts of fewer posts are made anew each time: they cost little, and a small workspace sees each post at once. */
const MIN_HELD_POSTS = 20_000;

/** Ranges whose counts are held at the same time. */
const MAX_RANGES = 16;

const YEAR_LENGTH = 'YYYY'.length;

/** Days of the calendar as `YYYY-MM-DD`. A day alone is before every timestamp of that day. */
interface DayRange {
  readonly from: string;
  /** Exclusive. */
  readonly until: string | undefined;
}

interface Held {
  readonly at: number;
  readonly counts: Promise<DayCount[]>;
}

/**
 * Counts the visible posts of each day. Counting reads every post of the range, so the counts of many posts are held for a
 * minute.
 */
export class Calendar {
  readonly #read: Reader;
  readonly #now: () => number;
  readonly #held = new Map<string, Held>();

  /** @param now wall-clock time in milliseconds since 1970 */
  constructor(read: Reader, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** @returns the days with posts, ascending */
  async counts({ from, until }: DayRange): Promise<DayCount[]> {
    const key = `${from} ${until ?? ''}`;
    const now = this.#now();
    const held = this.#held.get(key);
    // A clock that was set back makes the counts outdated too.
    if (held !== undefined && now >= held.at && now - held.at < MINUTE_MS) return held.counts;
    const counts = this.#read.dayCounts({ after: from, before: until });
    this.#hold(key, { at: now, counts });
    try {
      const found = await counts;
      if (sumOf(found) < MIN_HELD_POSTS) this.#release(key, counts);
      return found;
    } catch (error) {
      this.#release(key, counts);
      throw error;
    }
  }

  /** @returns the newest years with visible posts, as `YYYY`, descending */
  async years(limit: number): Promise<string[]> {
    const years: string[] = [];
    while (years.length < limit) {
      const before = years.length === 0 ? undefined : `${years.at(-1) ?? ''}-01-01`;
      const [newest] = await this.#read.page('post', { order: 'newest', limit: 1, before });
      if (newest === undefined) break;
      years.push(newest.record.createdAt.slice(0, YEAR_LENGTH));
    }
    return years;
  }

  #hold(key: string, held: Held): void {
    this.#held.set(key, held);
    for (const [oldest] of this.#held) {
      if (this.#held.size <= MAX_RANGES) return;
      this.#held.delete(oldest);
    }
  }

  #release(key: string, counts: Held['counts']): void {
    if (this.#held.get(key)?.counts === counts) this.#held.delete(key);
  }
}

function sumOf(days: readonly DayCount[]): number {
  return days.reduce((sum, { byPrefix }) => sum + totalOf(byPrefix), 0);
}

/** @returns the number of posts of a day */
export function totalOf(byPrefix: DayCount['byPrefix']): number {
  return Object.values(byPrefix).reduce((sum, count) => sum + count, 0);
}
