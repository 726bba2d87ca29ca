import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { boardOf, toSteps } from './derived-work.ts';
import { FIRST_FEED, type Attempt } from './recorded-feeds.ts';

/** The recorded messages, oldest first. */
export const RECORDED = FIRST_FEED;

/** @returns the mark of a sent key */
export const signerOf = (key: number): string => `0${String(key).padStart(10, '0')}a`;

/** @returns what the service stores: a writer with a key sends it with every message */
export function storedOf(attempts: readonly Attempt[]): Post[] {
  const marks = new Map<string, string>();
  return attempts.map(({ post, writer, isKeyed }, index) => {
    if (!isKeyed) return post;
    const slot = `${writer} ${post.rootId}`;
    const mark = marks.get(slot) ?? signerOf(1000 + index);
    marks.set(slot, mark);
    return { ...post, mark };
  });
}

/** @param at milliseconds since 1970 */
export function deriveAt(posts: readonly Post[], at: number): Board {
  return boardOf(toSteps(posts.filter(({ createdAt }) => Date.parse(createdAt) <= at)));
}
