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

  /** @returns the last post of the thread; `NONE` if it has none */
  last(root: number): number {
    return this.#posts.last(root);
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
      post = this.#posts.find(
        root,
        isOldest,
        (other) => from === undefined || isBeyond(this.#createdAt(other), from),
      );
    for (; post !== NONE && posts.length < limit; post = this.#step(post, isOldest)) {
      const at = this.#createdAt(post);
      if (until !== undefined && !isBeyond(until, at)) break;
      if (from === undefined || isBeyond(at, from)) posts.push(post);
    }
    return posts;
  }

  /**
   * @param start the first post of the thread for which `isLater` holds; `NONE` to look for it
   * @param isLater holds for every post behind one for which it holds
   * @yields the posts of the thread from there on, oldest first
   */
  *postsFrom(root: number, start: number, isLater: (post: number) => boolean): Generator<number, void> {
    const first = start === NONE ? this.#posts.find(root, true, isLater) : start;
    for (let post = first; post !== NONE; post = this.#posts.next(post)) yield post;
  }

  #step(post: number, isOldest: boolean): number {
    return isOldest ? this.#posts.next(post) : this.#posts.previous(post);
  }
}
