import { toHeld, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { toSteps } from './derived-work.ts';
import { aReply } from './store/records.ts';
import { signerOf } from './strangers.ts';

export type NewPost = Omit<Post, 'createdAt'>;

export const MINUTE_MS = 60_000;

/** The time of the first post of `datePosts`. */
export const START = Date.parse('2026-11-21T10:00:00.000Z');

/** @returns the posts, so many milliseconds apart */
export const datePosts = (posts: readonly NewPost[], apart = MINUTE_MS): Post[] =>
  posts.map((post, n) => ({ ...post, createdAt: timestampAt(START + n * apart) }));

/** @returns the steps of posts that are so many milliseconds apart */
export const stepsOf = (posts: readonly NewPost[], apart = MINUTE_MS): Step[] =>
  toSteps(datePosts(posts, apart));

/** @returns a message in the thread of `root`, a reply to it unless `given` has another parent */
export const under = (root: NewPost, message: string, given: Partial<Post> = {}): NewPost =>
  aReply(given.parentId ?? root.id, message, { rootId: root.id, ...given });

/** The time of the first message of `stepsOfThread`. */
export const THREAD_START = Date.UTC(2026, 2, 2);

/** A message by the number of the key that signs it; `NOBODY` sends none. */
export type Message = readonly [key: number, text: string];

export const NOBODY = 0;

/** The id of message n of `stepsOfThread`. */
export const idOf = (n: number): string => `post_019c9a32-2000-7000-8000-${String(n).padStart(12, '0')}`;

/** The time of message n of `stepsOfThread`. */
export const timeOf = (n: number): string => timestampAt(THREAD_START + n * MINUTE_MS);

/**
 * @param messages of one thread, a minute apart
 * @param held the places of those that reports hold
 */
export function stepsOfThread(messages: readonly Message[], held: readonly number[] = []): Step[] {
  const posts = messages.map(([key, message], n): Post => {
    const mark = key === NOBODY ? {} : { mark: signerOf(key) };
    const place = { parentId: n === 0 ? null : idOf(0), rootId: idOf(0), createdAt: timeOf(n) };
    return { id: idOf(n), message, prefix: parsePrefix(message), ...mark, ...place };
  });
  const isHeld = ({ id }: Step): boolean => held.some((n) => idOf(n) === id);
  return toSteps(posts).map((step) => (isHeld(step) ? toHeld(step) : step));
}

/** @returns a REVIEW of message `of`, with evidence */
export const reviewOf = (of: number, outcome: string): string =>
  `REVIEW: x\nResult being checked: ${idOf(of)}\nEvidence: counted again\nOutcome: ${outcome}`;
