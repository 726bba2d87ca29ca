import { Int32Column, NONE } from './columns/column.ts';
import { LinkedLists } from './columns/linked-lists.ts';

/** Which visible posts take up a post. Posts are numbers; one that is taken up need not be stored. */
export class TakerIndex {
  /** By post, its first reference. The others follow it. */
  readonly #references = new Int32Column();
  #referenceCount = 0;
  /** By reference, the post that takes up. */
  readonly #takers = new Int32Column();
  /** By reference, the post that is taken up. */
  readonly #targets = new Int32Column();
  /** By target, the references of visible takers, oldest first. */
  readonly #lists: LinkedLists;

  /** @param isBefore whether a post is earlier than another */
  constructor(isBefore: (post: number, other: number) => boolean) {
    this.#lists = new LinkedLists((reference, other) =>
      isBefore(this.#takers.get(reference), this.#takers.get(other)),
    );
  }

  /** Adds what a post takes up, once. It counts from `show` on. */
  arrive(post: number, targets: readonly number[]): void {
    if (targets.length > 0) this.#references.set(post, this.#referenceCount);
    for (const target of targets) {
      this.#takers.set(this.#referenceCount, post);
      this.#targets.set(this.#referenceCount, target);
      this.#referenceCount += 1;
    }
  }

  /** The post becomes visible. */
  show(post: number): void {
    this.forEachReference(post, (reference, target) => {
      this.#lists.add(target, reference);
    });
  }

  /** The post is hidden. */
  hide(post: number): void {
    this.forEachReference(post, (reference, target) => {
      this.#lists.remove(target, reference);
    });
  }

  /** @returns at most `limit` visible posts that take up the target, newest first */
  takersOf(target: number, limit: number): number[] {
    const takers: number[] = [];
    let reference = this.#lists.last(target);
    for (; reference !== NONE && takers.length < limit; reference = this.#lists.previous(reference))
      takers.push(this.#takers.get(reference));
    return takers;
  }

  /**
   * @param start the first visible post that takes up the target and for which `isLater` holds; `NONE` to
   *   look for it
   * @param isLater holds for every taker behind one for which it holds
   * @yields the visible posts that take up the target, from there on, oldest first
   */
  *takersFrom(target: number, start: number, isLater: (post: number) => boolean): Generator<number, void> {
    let reference = this.#referenceTo(target, start);
    if (reference === NONE)
      reference = this.#lists.find(target, true, (other) => isLater(this.#takers.get(other)));
    for (; reference !== NONE; reference = this.#lists.next(reference)) yield this.#takers.get(reference);
  }

  /** Whether a post takes up the target. */
  takesUp(post: number, target: number): boolean {
    return this.#referenceTo(target, post) !== NONE;
  }

  #referenceTo(target: number, post: number): number {
    let found = NONE;
    this.forEachReference(post, (reference, other) => {
      if (other === target) found = reference;
    });
    return found;
  }

  /** References have numbers, in the order of `takesUp` for each post. */
  forEachReference(post: number, action: (reference: number, target: number) => void): void {
    const first = this.#references.get(post);
    if (first === NONE) return;
    for (let reference = first; this.#takers.get(reference) === post; reference++)
      action(reference, this.#targets.get(reference));
  }
}
