import { GroupedRecords } from './grouped-records.ts';
import { NONE } from './columns/column.ts';
import type { TimeKey } from './columns/time-key.ts';
import type { KeyRange } from './key-range.ts';
import { LastPosts } from './last-posts.ts';
import { mergeDistinct } from './merge-distinct.ts';
import type { RecordTable } from './record-table.ts';
import { TakerIndex } from './taker-index.ts';

/** Threads, and which post takes up which. Posts are numbers. */
export class PostLinks {
  readonly lastPosts: LastPosts;
  readonly #table: RecordTable;
  /** By the number of the root, which need not be there. */
  readonly #threads: GroupedRecords;
  readonly #takers: TakerIndex;

  constructor(table: RecordTable) {
    this.lastPosts = new LastPosts((post) => table.timeOf(post));
    this.#table = table;
    this.#threads = new GroupedRecords((post) => table.timeOf(post));
    this.#takers = new TakerIndex((post, other) => table.timeOf(post) < table.timeOf(other));
  }

  /**
   * Adds a post, which is not visible yet.
   * @param references the posts that it takes up
   */
  arrive(post: number, references: readonly number[]): void {
    this.#takers.arrive(post, references);
  }

  /** The post becomes visible (1) or hidden (-1). */
  update(post: number, sign: 1 | -1): void {
    const root = this.#table.rootOf(post);
    const last = this.#threads.last(root);
    this.#threads.update(root, post, sign);
    this.lastPosts.replace(last, this.#threads.last(root));
    if (sign === 1) this.#takers.show(post);
    else this.#takers.hide(post);
  }

  /** @returns the number of visible posts of a thread */
  threadSize(root: number): number {
    return this.#threads.size(root);
  }

  /** @param post that is visible */
  isLastOfThread(post: number): boolean {
    return this.#threads.last(this.#table.rootOf(post)) === post;
  }

  /** @returns the visible posts of a thread within a range */
  thread(root: number, range: KeyRange): number[] {
    return this.#threads.page(root, range);
  }

  /** @returns at most `limit` visible posts that take up the post, newest first */
  takersOf(target: number, limit: number): number[] {
    return this.#takers.takersOf(target, limit);
  }

  /**
   * @param nearby the first visible posts later than the time, among which the next one that takes up a post
   *   mostly stands
   * @yields the visible posts that take up one of these posts or stand in a thread that one begins, without
   *   these posts, later than the time and oldest first. It ends when a post is hidden.
   */
  *answersAfter(
    posts: readonly number[],
    after: TimeKey,
    nearby: readonly number[],
  ): Generator<number, void> {
    const isLater = (post: number): boolean => this.#table.timeOf(post) > after;
    const own = new Set(posts);
    const lists = [...own].flatMap((target) => [
      this.#threads.recordsAfter(target, after),
      this.#takers.takersFrom(
        target,
        nearby.find((post) => this.#takers.takesUp(post, target)) ?? NONE,
        isLater,
      ),
    ]);
    const isBefore = (post: number, other: number): boolean =>
      this.#table.timeOf(post) < this.#table.timeOf(other);
    for (const post of mergeDistinct(lists, isBefore)) if (!own.has(post)) yield post;
  }

  /** As `TakerIndex.forEachReference`. */
  forEachReference(post: number, action: (reference: number, target: number) => void): void {
    this.#takers.forEachReference(post, action);
  }
}
