import { Int32Column, NONE } from './column.ts';

/**
 * Any number of doubly linked lists in columns: 8 bytes a list and 8 bytes a link. A link is in one list at
 * most. Lists and links are numbers that the caller chooses, dense from 0.
 */
export class LinkedLists {
  readonly #firsts = new Int32Column();
  readonly #lasts = new Int32Column();
  readonly #nexts = new Int32Column();
  readonly #previous = new Int32Column();
  /**
   * By list, the link that was last added elsewhere than at the end. An import brings older links in their
   * order, and each goes next to the one before it.
   */
  readonly #lastInserted = new Map<number, number>();
  readonly #isBefore: (link: number, other: number) => boolean;

  /** @param isBefore whether a link must stand before another */
  constructor(isBefore: (link: number, other: number) => boolean) {
    this.#isBefore = isBefore;
  }

  /** @returns `NONE` if the list is empty, as every method that returns a link */
  first(list: number): number {
    return this.#firsts.get(list);
  }

  last(list: number): number {
    return this.#lasts.get(list);
  }

  next(link: number): number {
    return this.#nexts.get(link);
  }

  previous(link: number): number {
    return this.#previous.get(link);
  }

  /** Adds a link behind all that it is not before. O(1) at the end and beside the link added last. */
  add(list: number, link: number): void {
    let left = this.#lasts.get(list);
    if (left !== NONE && this.#isBefore(link, left)) {
      left = this.#leftOf(list, link);
      this.#lastInserted.set(list, link);
    }
    const right = left === NONE ? this.#firsts.get(list) : this.#nexts.get(left);
    this.#join(list, left, link);
    this.#join(list, link, right);
  }

  remove(list: number, link: number): void {
    if (this.#lastInserted.get(list) === link) this.#lastInserted.delete(list);
    this.#join(list, this.#previous.get(link), this.#nexts.get(link));
  }

  /** @returns the link behind which another one belongs, which is not the last one of the list */
  #leftOf(list: number, link: number): number {
    let left = this.#lastInserted.get(list) ?? this.#lasts.get(list);
    let right = this.#nexts.get(left);
    while (right !== NONE && !this.#isBefore(link, right)) {
      left = right;
      right = this.#nexts.get(left);
    }
    while (left !== NONE && this.#isBefore(link, left)) left = this.#previous.get(left);
    return left;
  }

  /** Makes two links neighbours; `NONE` on one side is that end of the list. */
  #join(list: number, left: number, right: number): void {
    if (left === NONE) this.#firsts.set(list, right);
    else this.#nexts.set(left, right);
    if (right === NONE) this.#lasts.set(list, left);
    else this.#previous.set(right, left);
  }
}
