import type { Post } from '#store/port/records.ts';
import type { Item } from './item.ts';

/** Of the texts of all posts together, in UTF-16 units, with what each post takes besides its text. */
const MAX_SIZE = 4_000_000;
const SIZE_WITHOUT_TEXT = 500;

/**
 * The posts that arrived last since the folder was opened. Receipts, waits and lists ask for the same few posts
 * again and again, and what is read from a text is kept with its object. All other texts are read from the log.
 */
export class RecentPosts {
  readonly #posts = new Map<Item, Post>();
  #size = 0;

  get(item: Item): Post | undefined {
    return this.#posts.get(item);
  }

  add(item: Item, post: Post): void {
    this.forget(item);
    this.#posts.set(item, post);
    this.#size += sizeOf(post);
    for (const oldest of this.#posts.keys()) {
      if (this.#size <= MAX_SIZE) return;
      this.forget(oldest);
    }
  }

  /** Must be called when a post is erased. */
  forget(item: Item): void {
    const post = this.#posts.get(item);
    if (post === undefined) return;
    this.#posts.delete(item);
    this.#size -= sizeOf(post);
  }
}

const sizeOf = ({ message }: Post): number => SIZE_WITHOUT_TEXT + message.length;
