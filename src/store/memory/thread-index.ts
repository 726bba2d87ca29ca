import type { Timestamp } from '#store/records.ts';
import type { Range } from '#store/store.ts';
import { Int32Column, NONE } from './int32-column.ts';
import { LinkedLists } from './linked-lists.ts';

/** The visible posts of each thread, oldest first. Posts and roots are numbers; a root need not be stored. */
export class ThreadIndex {
  readonly #createdAt: (post: number) => Timestamp;
  readonly #posts: LinkedLists;
  readonly #sizes = new Int32Column();

  constructor(createdAt: (post: number) => Timestamp) {
    this.#createdAt = createdAt;
    this.#posts = new LinkedLists((post, other) => createdAt(post) < createdAt(other));
  }

  add(root: number, post: number): void {
    this.#posts.add(root, post);
    this.#sizes.set(root, this.size(root) + 1);
  }

  remove(root: number, post: number): void {
    this.#posts.remove(root, post);
    this.#sizes.set(root, this.size(root) - 1);
  }

  size(root: number): number {
    return Math.max(this.#sizes.get(root), 0);
  }

  /**
   * @param start a post of the thread that stands at the bound where the page starts; `NONE` to look for the place
   */
  page(root: number, { before, after, order, limit }: Range, start: number): number[] {
    const isOldest = order === 'oldest';
    const [from, until] = isOldest ? [after, before] : [before, after];
    const isBeyond = (at: Timestamp, bound: Timestamp): boolean => (isOldest ? at > bound : at < bound);
    const posts: number[] = [];
    let post = start;
    if (post === NONE)
      post = this.#findStart(root, isOldest, (at) => from === undefined || isBeyond(at, from));
    for (; post !== NONE && posts.length < limit; post = this.#step(post, isOldest)) {
      const at = this.#createdAt(post);
      if (until !== undefined && !isBeyond(until, at)) break;
      if (from === undefined || isBeyond(at, from)) posts.push(post);
    }
    return posts;
  }

  /**
   * Looks from both ends of the thread at once, so that a place near either of them is found soon.
   * @returns the first post of the page
   */
  #findStart(root: number, isOldest: boolean, isInRange: (at: Timestamp) => boolean): number {
    const [first, last] = [this.#posts.first(root), this.#posts.last(root)];
    let [near, far] = isOldest ? [first, last] : [last, first];
    for (let found = NONE; ; ) {
      if (near === NONE || isInRange(this.#createdAt(near))) return near;
      if (!isInRange(this.#createdAt(far))) return found;
      found = far;
      near = this.#step(near, isOldest);
      far = this.#step(far, !isOldest);
    }
  }

  #step(post: number, isOldest: boolean): number {
    return isOldest ? this.#posts.next(post) : this.#posts.previous(post);
  }
}
