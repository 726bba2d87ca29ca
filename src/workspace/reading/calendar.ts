import type { DayCount } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import { dayAfter, MINUTE_MS } from '#workspace/text/time.ts';

/** Ranges with fewer posts are not cached: counting them is cheap, and a new post then counts at once. */
const MIN_CACHED_POSTS = 20_000;

const MAX_RANGES = 16;

const YEAR_LENGTH = 'YYYY'.length;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Days as `YYYY-MM-DD`, which sorts before every timestamp of the day. */
interface DayRange {
  readonly from: string;
  /** Exclusive; undefined for no end. */
  readonly until: string | undefined;
}

/**
 * Counts the visible posts of each day. A count reads every post of its range, so large counts are cached for
 * a minute.
 */
export class Calendar {
  readonly #read: Reader;
  readonly #now: () => number;
  readonly #cache = new Map<string, { readonly at: number; readonly counts: Promise<DayCount[]> }>();

  /** @param now wall-clock time in milliseconds since 1970 */
  constructor(read: Reader, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** @returns the days with posts, ascending */
  counts({ from, until }: DayRange): Promise<DayCount[]> {
    const key = `${from} ${until ?? ''}`;
    const now = this.#now();
    const cached = this.#cache.get(key);
    // If the clock was set back, `at` may lie in the future.
    if (cached !== undefined && now >= cached.at && now - cached.at < MINUTE_MS) return cached.counts;
    const counts = this.#read.dayCounts({ after: from, before: until });
    this.#cache.set(key, { at: now, counts });
    for (const [oldest] of this.#cache) if (this.#cache.size > MAX_RANGES) this.#cache.delete(oldest);
    const drop = (): void => {
      if (this.#cache.get(key)?.counts === counts) this.#cache.delete(key);
    };
    counts.then((days) => {
      const posts = days.reduce((sum, { byPrefix }) => sum + sumCounts(byPrefix), 0);
      if (posts < MIN_CACHED_POSTS) drop();
    }, drop);
    return counts;
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

  /** @returns the nearest days with visible posts before and after a day */
  async neighbours(day: string): Promise<{ previous: string | undefined; next: string | undefined }> {
    const after = dayAfter(day);
    const [[older], [newer]] = await Promise.all([
      this.#read.page('post', { order: 'newest', limit: 1, before: day }),
      after === undefined ? [] : this.#read.page('post', { order: 'oldest', limit: 1, after }),
    ]);
    return {
      previous: older?.record.createdAt.slice(0, DAY_LENGTH),
      next: newer?.record.createdAt.slice(0, DAY_LENGTH),
    };
  }
}

export function sumCounts(byPrefix: DayCount['byPrefix']): number {
  return Object.values(byPrefix).reduce((sum, count) => sum + count, 0);
}
