import type { Post } from '#store/records.ts';
import type { TimeKey } from '#store/memory/columns/time-key.ts';

/** The posts as the index of the feed sees them, by number. */
export interface FeedPosts {
  idOf(post: number): string;
  timeOf(post: number): TimeKey;
  isVisible(post: number): boolean;
  prefixOf(post: number): string | null;
  /** Whether the post begins a thread. */
  isFirst(post: number): boolean;
  /** @returns undefined for an erased post. @throws TextUnavailable */
  textsOf(post: number): Post | undefined;
}
