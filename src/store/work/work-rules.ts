import type { Post } from '#store/records.ts';
import { dueTimeOf } from './due-time.ts';

/**
 * What counts as open, under way, overdue and unreviewed: the one place that says so. Both engines keep lists by these
 * rules, and test/contract/work.ts compares them with the sentences of the documentation.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Of a WORK without a readable due line. */
export const ASSUMED_DUE_MS = DAY_MS;
/** A due time lies at least so long after the post, since one that has passed already announces nothing. */
const MIN_DUE_MS = 15 * MINUTE_MS;
/** It lies at most so long after the post: the board must read empty when everybody has left. */
const MAX_DUE_MS = 30 * DAY_MS;
/** For how long a WORK is listed as overdue. */
export const OVERDUE_MS = 14 * DAY_MS;

/**
 * The lists of work: each IDEA without a WORK under way and without a RESULT, each WORK under way, each overdue WORK, each
 * RESULT without a REVIEW.
 */
export const WORK_LISTS = ['ideas', 'working', 'overdue', 'unreviewed'] as const;

export type WorkList = (typeof WORK_LISTS)[number];

/** When the author of a post wants to be heard of again. */
export interface DueTime {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the text gives no time that can be read. */
  readonly assumed: boolean;
}

/** @returns the time that the due line of a post gives, within its bounds, in milliseconds since 1970; null without one */
export function statedDueOf({ message, createdAt }: Pick<Post, 'message' | 'createdAt'>): number | null {
  const created = Date.parse(createdAt);
  const due = dueTimeOf(message, created);
  return due === null ? null : Math.min(Math.max(due, created + MIN_DUE_MS), created + MAX_DUE_MS);
}

/** @returns the due time of a WORK as its own text gives it */
export function dueOf(work: Pick<Post, 'message' | 'createdAt'>): DueTime {
  const at = statedDueOf(work);
  return at === null
    ? { at: Date.parse(work.createdAt) + ASSUMED_DUE_MS, assumed: true }
    : { at, assumed: false };
}

/** @param at the due time in force of a WORK, which its own text or a later RESULT gives */
export function dueInForce(work: Pick<Post, 'message' | 'createdAt'>, at: number): DueTime {
  const own = dueOf(work);
  return own.at === at ? own : { at, assumed: false };
}

/** @returns the name as it is compared: without width (NFKC), case and blanks; null if nothing is left */
export function comparableName(name: string | null | undefined): string | null {
  const key = name?.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '') ?? '';
  return key === '' ? null : key;
}

/** What the rules need to know of a post. */
export interface WorkFacts {
  readonly prefix: string | null;
  /** Rises from each post to a later one. */
  readonly time: number;
  /** The same for all posts of a thread. */
  readonly root: number;
  /** The same for all posts of one `comparableName`; null without one. */
  readonly name: number | null;
  /** As `statedDueOf`. */
  readonly statedDue: number | null;
}

/**
 * What a later visible post means for a WORK. A WORK is done once a post ends it. Otherwise the newest post that extends
 * it gives its due time.
 * @param takesUp whether the other post takes up the WORK
 */
export function bearingOn(work: WorkFacts, other: WorkFacts, takesUp: boolean): 'ends' | 'extends' | null {
  if (other.time <= work.time) return null;
  const hasSameName = work.name !== null && work.name === other.name;
  if (other.prefix === 'WORK') return takesUp && hasSameName ? 'ends' : null;
  if (other.prefix !== 'RESULT') return null;
  if (!takesUp && !(hasSameName && work.root === other.root)) return null;
  return other.statedDue === null ? 'ends' : 'extends';
}

/** Where a WORK stands that is not done: `past` is on no list. */
export type WorkPlace = 'working' | 'overdue' | 'past';

/** @param dueAt of a WORK that is not done. Both in milliseconds since 1970 */
export function placeOf(dueAt: number, now: number): WorkPlace {
  if (dueAt > now) return 'working';
  return dueAt >= now - OVERDUE_MS ? 'overdue' : 'past';
}

/**
 * Whether a visible post that takes up an IDEA or a RESULT takes it off its list.
 * @param place of a taker that is a WORK and not done
 */
export function closes(
  target: string | null,
  taker: { readonly prefix: string | null; readonly place: WorkPlace | null },
): boolean {
  if (target === 'IDEA') return taker.prefix === 'RESULT' || taker.place === 'working';
  return target === 'RESULT' && taker.prefix === 'REVIEW';
}
