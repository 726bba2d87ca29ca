import type { Post } from '#store/records.ts';

/** A post as the board sees it. */
export interface BoardPost {
  readonly record: Post;
  readonly number: number;
  readonly hidden: boolean;
}

/** The references of posts, by number. */
export interface BoardLinks<Entry extends BoardPost> {
  /** @returns undefined for a post that is erased or not there yet */
  entryAt(number: number): Entry | undefined;
  forEachReference(post: number, action: (reference: number, target: number) => void): void;
  /** @returns the visible posts that take up a post, newest first */
  visibleTakers(target: number): readonly number[];
  /** @returns the post that refers */
  takerOf(reference: number): number;
}
