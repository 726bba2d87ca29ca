import { DONE, freeParts, isFinished } from './parts.ts';
import type { Idea, Result, Thread, Work, WorksByTime } from './model.ts';
import { isEnded, isShown } from './model.ts';
import { viewpointOfOpener } from './trusted.ts';
import { judge } from './verdicts.ts';
import { isTrusted } from './votes.ts';
import { changesOf, chooseWorks, OVERDUE_MS, statusOf, trustedFirst } from './works.ts';

/**
 * Whether an IDEA is open. With parts, it is open until it is finished. Without parts, it is open until its
 * thread has a RESULT that is confirmed, at least in part; for a reply, only RESULTs that name it count.
 * @example #1 IDEA, #2 RESULT, #3 "confirmed" of #2 by the opener: #1 is open until #3
 */
export function isOpen(idea: Idea): boolean {
  if (idea.parts.length > 0 || isEnded(idea)) return !isFinished(idea);
  const results = idea.step.parentId === null ? idea.thread.results : idea.results;
  return !results.some((result) => !result.isGone && DONE.includes(judge(result).standing));
}

/**
 * Whether nothing is left to do on the IDEAs that a WORK takes. A WORK by a trusted signer that names no part
 * may be on any of them, so it is over only when the IDEA ends.
 * @example #1 IDEA "Parts: a"; #2 WORK on it by a stranger; a RESULT for a is confirmed: #2 has nothing left
 */
export function hasNothingLeft({ thread, ideas, parts, author }: Work): boolean {
  const joins = parts.length === 0 && isTrusted(viewpointOfOpener(thread), author);
  return ideas.length > 0 && ideas.every((idea) => (joins ? isEnded(idea) : isFinished(idea)));
}

/**
 * Whether a WORK is open, its due time has not passed, and something is left of what it takes.
 * @example a WORK of 10:00 that announces a message by 12:00 is under way at 11:00
 */
export const isUnderWay = (work: Work, now: number): boolean => isDue(work, (due) => due > now);

/**
 * Whether a WORK is open up to 14 days after its due time, and something is left of what it takes.
 * @example a WORK of 10:00 that announces a message by 12:00 is overdue at 13:00
 */
export const isOverdue = (work: Work, now: number): boolean =>
  isDue(work, (due) => due <= now && due >= now - OVERDUE_MS);

function isDue(work: Work, isWanted: (due: number) => boolean): boolean {
  if (work.isGone || !isShown(work)) return false;
  const { endedBy, dueAt } = statusOf(work);
  return endedBy === null && isWanted(dueAt) && !hasNothingLeft(work);
}

/**
 * Finds the WORKs of a thread that are under way, and those that are overdue.
 *
 *     #2 WORK due at 10:00, #3 WORK due at 12:00, at 11:00    overdue: #2; underWay: #3; changesAt: 12:00
 *
 * @param now milliseconds since 1970
 */
export function worksByTimeOf(thread: Thread, now: number): WorksByTime {
  const before = thread.worksByTime;
  if (before !== undefined && before.since <= now && now < before.changesAt) return before;
  const works = trustedFirst(thread.works.toReversed(), viewpointOfOpener(thread));
  const underWay = works.filter((work) => isUnderWay(work, now));
  const overdue = works.filter((work) => isOverdue(work, now));
  const changes = [...underWay, ...overdue].flatMap(changesOf).filter((time) => time > now);
  const changesAt = changes.reduce((first, time) => Math.min(first, time), Infinity);
  thread.worksByTime = { underWay, overdue, since: now, changesAt };
  return thread.worksByTime;
}

/**
 * @returns the WORKs that take a post, one by each writer: those of trusted signers first, then newest first
 * @example #2 and #3 WORKs of a stranger, #4 WORK of the opener, all on #1: for #1 these are #4, #3
 */
export function currentWorksOn(
  thread: Thread,
  id: string,
  list: 'underWay' | 'overdue',
  now: number,
  max: number,
): Work[] {
  if (thread.worksOn(id).length === 0) return [];
  return chooseWorks(worksByTimeOf(thread, now)[list], max, ({ takes }) => takes.includes(id));
}

/**
 * Whether an IDEA without parts has a RESULT in a thread that was opened without a key. No one can confirm
 * that RESULT, so the IDEA stays open, but is listed after the others.
 * @example #1 IDEA without a key, #2 RESULT: #1 is answered
 */
export const isAnswered = ({ parts, thread }: Idea): boolean =>
  parts.length === 0 && thread.opener === undefined && thread.results.some(isShown);

/**
 * Whether someone is working on everything that is open in an IDEA. Such an IDEA is offered after the others.
 * @example an IDEA with two parts, of which one is confirmed and one is under way, is taken
 */
export function isTaken(idea: Idea, now: number): boolean {
  return idea.parts.length > 0 ? freeParts(idea, now).length === 0 : isAnnounced(idea, now);
}

/**
 * Whether a trusted signer is working on an IDEA or RESULT, or anyone in a thread that was opened without a
 * key. It is then offered after the others.
 * @example Ann opens and signs "IDEA: x". A WORK on it by a stranger does not count; her own does.
 */
export function isAnnounced({ step, thread }: Idea | Result, now: number): boolean {
  const counts = (work: Work): boolean => thread.opener === undefined || statusOf(work).isTrusted;
  return thread.worksOn(step.id).some((work) => counts(work) && isUnderWay(work, now));
}
