import type { TimeKey } from '#store/memory/columns/time-key.ts';

/** The posts as the board sees them, by number. */
export interface BoardPosts {
  /** @returns null for a post that is erased or not there yet */
  prefixOf(post: number): string | null;
  /** @returns a time before that of every post if there never was such a post */
  timeOf(post: number): TimeKey;
  isVisible(post: number): boolean;
  /** Whether there is such a post, hidden or not. */
  isThere(post: number): boolean;
  /** @returns the number of the first post of its thread */
  rootOf(post: number): number;
  forEachReference(post: number, action: (reference: number, target: number) => void): void;
  /** @returns the visible posts that take up a post, newest first */
  visibleTakers(target: number): readonly number[];
  /** @returns the post that refers */
  takerOf(reference: number): number;
}
