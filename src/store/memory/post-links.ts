import { GroupedRecords } from './grouped-records.ts';
import type { TimeKey } from './columns/time-key.ts';
import { LastPosts } from './last-posts.ts';
import { mergeDistinct } from './merge-distinct.ts';
import type { RecordTable } from './record-table.ts';
import { TakerIndex } from './taker-index.ts';

/** Threads, and which post takes up which. Posts are numbers. */
export class PostLinks {
  readonly lastPosts: LastPosts;
  /** Visible posts by the number of their root, which need not be there. */
  readonly threads: GroupedRecords;
  readonly takers: TakerIndex;
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    const timeOf = (post: number): TimeKey => table.timeOf(post);
    this.lastPosts = new LastPosts(timeOf);
    this.threads = new GroupedRecords(timeOf);
    this.takers = new TakerIndex(timeOf);
    this.#table = table;
  }

  /** The post becomes visible (1) or hidden (-1). */
  update(post: number, sign: 1 | -1): void {
    const root = this.#table.rootOf(post);
    const last = this.threads.last(root);
    this.threads.update(root, post, sign);
    this.lastPosts.replace(last, this.threads.last(root));
    this.takers.update(post, sign);
  }

  /**
   * @yields the visible posts that take up one of these posts or stand in a thread that one begins, without
   *   these posts, later than the time and oldest first. It ends when a post is hidden.
   */
  *answersAfter(posts: readonly number[], after: TimeKey): Generator<number, void> {
    const own = new Set(posts);
    const lists = [...own].flatMap((target) => [
      this.threads.recordsAfter(target, after),
      this.takers.takersAfter(target, after),
    ]);
    const isBefore = (post: number, other: number): boolean =>
      this.#table.timeOf(post) < this.#table.timeOf(other);
    for (const post of mergeDistinct(lists, isBefore)) if (!own.has(post)) yield post;
  }
}
