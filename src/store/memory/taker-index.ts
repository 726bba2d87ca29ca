import { Int32Column, NONE } from './columns/column.ts';
import type { TimeKey } from './columns/time-key.ts';
import { GroupedRecords } from './grouped-records.ts';

/** Which visible posts take up a post. Posts are numbers; one that is taken up need not be stored. */
export class TakerIndex {
  /** By post, its first reference. The others follow it. */
  readonly #references = new Int32Column();
  #referenceCount = 0;
  /** By reference, the post that takes up. */
  readonly #takers = new Int32Column();
  /** By reference, the post that is taken up. */
  readonly #targets = new Int32Column();
  /** By target, the references of visible takers. */
  readonly #lists: GroupedRecords;

  /** @param timeOf as of `GroupedRecords`, for posts */
  constructor(timeOf: (post: number) => TimeKey) {
    this.#lists = new GroupedRecords((reference) => timeOf(this.#takers.get(reference)));
  }

  /** Adds what a post takes up, once. It counts from `update` on. */
  arrive(post: number, targets: readonly number[]): void {
    if (targets.length > 0) this.#references.set(post, this.#referenceCount);
    for (const target of targets) {
      this.#takers.set(this.#referenceCount, post);
      this.#targets.set(this.#referenceCount, target);
      this.#referenceCount += 1;
    }
  }

  /** The post becomes visible (1) or hidden (-1). */
  update(post: number, sign: 1 | -1): void {
    this.forEachReference(post, (reference, target) => {
      this.#lists.update(target, reference, sign);
    });
  }

  /** @returns at most `limit` visible posts that take up the target, newest first */
  newest(target: number, limit: number): number[] {
    return this.#lists
      .page(target, { order: 'newest', limit })
      .map((reference) => this.#takers.get(reference));
  }

  /** @yields the visible posts that take up the target and are later than a time, oldest first */
  *takersAfter(target: number, after: TimeKey): Generator<number, void> {
    for (const reference of this.#lists.recordsAfter(target, after)) yield this.#takers.get(reference);
  }

  /** References have numbers, in the order of `takesUp` for each post. */
  forEachReference(post: number, action: (reference: number, target: number) => void): void {
    const first = this.#references.get(post);
    if (first === NONE) return;
    for (let reference = first; this.#takers.get(reference) === post; reference++)
      action(reference, this.#targets.get(reference));
  }
}
