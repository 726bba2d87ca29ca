import { SortedList } from '#store/engine/sorted-list.ts';
import { startSlice } from '#runtime/slice.ts';
import { NONE } from './columns/column.ts';
import { BEFORE_ALL, type TimeKey } from './columns/time-key.ts';
import type { KeyRange } from './key-range.ts';

const BATCH_SIZE = 1024;

/**
 * The last visible post of each thread, in the order of time. Reads that need the list make it, so that
 * neither the start nor the writes of a process without such reads pay for it.
 */
export class LastPosts {
  readonly #list: SortedList<number, TimeKey>;
  readonly #timeOf: (post: number) => TimeKey;
  /** Invariant: the list holds the last posts of threads up to this time, and no others. */
  #madeTo: TimeKey = BEFORE_ALL;

  constructor(timeOf: (post: number) => TimeKey) {
    this.#list = new SortedList(timeOf);
    this.#timeOf = timeOf;
  }

  /** Another post is the last one of a thread. `NONE` is no post. */
  replace(last: number, post: number): void {
    if (last === post) return;
    if (last !== NONE && this.#timeOf(last) <= this.#madeTo) this.#list.remove(last);
    if (post !== NONE && this.#timeOf(post) <= this.#madeTo) this.#list.add(post);
  }

  /**
   * Adds posts for at most a slice.
   * @param page returns the visible posts of a range
   * @returns whether the list is whole, and remains so
   */
  extend(page: (range: KeyRange) => number[], isLastOfThread: (post: number) => boolean): boolean {
    const isSliceOver = startSlice();
    while (this.#madeTo !== Infinity) {
      const posts = page({ order: 'oldest', after: this.#madeTo, limit: BATCH_SIZE });
      for (const post of posts) if (isLastOfThread(post)) this.#list.add(post);
      this.#madeTo = posts.length < BATCH_SIZE ? Infinity : this.#timeOf(posts.at(-1) ?? NONE);
      if (isSliceOver()) break;
    }
    return this.#madeTo === Infinity;
  }

  page({ order, limit, before, after }: KeyRange): number[] {
    return order === 'newest'
      ? this.#list.newest(limit, before, after)
      : this.#list.oldest(limit, before, after);
  }
}
