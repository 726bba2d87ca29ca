import type { Timestamp } from '#store/records.ts';
import { takesUp } from '#store/references.ts';
import type { EntryRange } from './entry-list.ts';
import { GroupedRecords } from './grouped-records.ts';
import { NONE } from './int32-column.ts';
import { mergeDistinct } from './merge-distinct.ts';
import type { PostEntry } from './record-entry.ts';
import type { RecordNumbers } from './record-numbers.ts';
import { TakerIndex } from './taker-index.ts';

/** Threads, and which post takes up which. Posts have numbers, so that links are columns of numbers. */
export class PostLinks {
  readonly #numbers: RecordNumbers;
  /** By the number of the root, which need not be there. */
  readonly #threads: GroupedRecords;
  readonly #takers: TakerIndex;

  constructor(numbers: RecordNumbers) {
    this.#numbers = numbers;
    this.#threads = new GroupedRecords((post) => numbers.createdAt(post));
    this.#takers = new TakerIndex({
      isBefore: (post, other) => numbers.createdAt(post) < numbers.createdAt(other),
      isResult: (post) => this.entryAt(post)?.record.prefix === 'RESULT',
    });
  }

  /** Takes in a post, which is not visible yet. */
  arrive({ record, number }: PostEntry): void {
    this.#takers.arrive(
      number,
      takesUp(record).map((id) => this.#numbers.reserve(id)),
    );
  }

  /** The post becomes visible (1), or ceases to be (-1). */
  update({ record, number }: PostEntry, sign: 1 | -1): void {
    const root = record.rootId === record.id ? number : this.#numbers.reserve(record.rootId);
    this.#threads.update(root, number, sign);
    if (sign === 1) this.#takers.show(number);
    else this.#takers.hide(number);
  }

  threadSize(rootId: string): number {
    const root = this.#numbers.numberOf(rootId);
    return root === undefined ? 0 : this.#threads.size(root);
  }

  /** @param entry of a visible post */
  isLastOfThread({ record, number }: PostEntry): boolean {
    const root = record.rootId === record.id ? number : this.#numbers.numberOf(record.rootId);
    return root !== undefined && this.#threads.last(root) === number;
  }

  /** @returns the visible posts of a thread within a range */
  thread(rootId: string, range: EntryRange): PostEntry[] {
    const root = this.#numbers.numberOf(rootId);
    return root === undefined ? [] : this.#toEntries(this.#threads.page(root, range));
  }

  /** @returns at most `limit` visible posts that take up the post, newest first */
  takersOf(id: string, limit: number): PostEntry[] {
    const target = this.#numbers.numberOf(id);
    return target === undefined ? [] : this.#toEntries(this.#takers.takersOf(target, limit));
  }

  /**
   * @param nearby the first visible posts later than the timestamp, among which the next one that takes up a post mostly stands
   * @yields the visible posts that take up one of these posts or stand in a thread that one begins, without these posts,
   *   later than the timestamp and oldest first. It must not go on after a post ceased to be visible.
   */
  *answersAfter(
    ids: readonly string[],
    after: Timestamp,
    nearby: readonly PostEntry[],
  ): Generator<PostEntry, void> {
    const isLater = (post: number): boolean => this.#createdAt(post) > after;
    const first = (holds: (entry: PostEntry) => boolean): number => nearby.find(holds)?.number ?? NONE;
    const own = new Set<number>();
    const lists = [...new Set(ids)].flatMap((id) => {
      const target = this.#numbers.numberOf(id);
      if (target === undefined) return [];
      own.add(target);
      return [
        this.#threads.recordsAfter(target, after),
        this.#takers.takersFrom(
          target,
          first(({ number }) => this.#takers.takesUp(number, target)),
          isLater,
        ),
      ];
    });
    const isBefore = (post: number, other: number): boolean => this.#createdAt(post) < this.#createdAt(other);
    for (const post of mergeDistinct(lists, isBefore)) {
      const entry = own.has(post) ? undefined : this.entryAt(post);
      if (entry !== undefined) yield entry;
    }
  }

  /** @returns the post that has the number; undefined if it is erased or not there yet */
  entryAt(number: number): PostEntry | undefined {
    return this.#numbers.entryAt(number) as PostEntry | undefined;
  }

  /** As `TakerIndex.forEachReference`. */
  forEachReference(post: number, action: (reference: number, target: number) => void): void {
    this.#takers.forEachReference(post, action);
  }

  /** @returns the post of a reference */
  takerOf(reference: number): number {
    return this.#takers.takerOf(reference);
  }

  /** @returns the visible posts that take up a post, newest first */
  visibleTakers(target: number): readonly number[] {
    return this.#takers.takersOf(target, Infinity);
  }

  /** Whether a visible RESULT that is later takes up the post. */
  hasLaterResult({ number, record }: PostEntry): boolean {
    const newest = this.#takers.newestResult(number);
    return newest !== NONE && this.#createdAt(newest) > record.createdAt;
  }

  #createdAt(post: number): Timestamp {
    return this.#numbers.createdAt(post);
  }

  #toEntries(posts: readonly number[]): PostEntry[] {
    return this.#numbers.entriesOf(posts) as PostEntry[];
  }
}
