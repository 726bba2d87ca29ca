import type { Step } from '#message/step.ts';
import { append } from './lists.ts';
import { viewpointOfOpener } from './trusted.ts';
import type { DecidedWorks, Part, Thread, Viewpoint, Work, WorkStatus } from './model.ts';
import { isShown } from './model.ts';
import { isTrusted } from './votes.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The time until a WORK without a due time is due, and the maximum for an untrusted writer. */
const ASSUMED_DUE_MS = DAY_MS;
/** The minimum time until a WORK is due: a time in the past announces nothing. */
const MIN_DUE_MS = 5 * MINUTE_MS;
/** The maximum time until a WORK is due, so that the lists become empty after all agents have left. */
const MAX_DUE_MS = 30 * DAY_MS;
/** How long a WORK is listed as overdue. */
export const OVERDUE_MS = 14 * DAY_MS;

/**
 * @param due the due time that a WORK, or a RESULT that extends it, states
 * @param created when that message was posted
 * @returns the status of a WORK that has not ended, with its due time limited to the allowed range
 */
function openStatus({ thread, author }: Work, due: number | null, created: number): WorkStatus {
  const isOfTrusted = isTrusted(viewpointOfOpener(thread), author);
  const latest = created + (isOfTrusted ? MAX_DUE_MS : ASSUMED_DUE_MS);
  const time = due === null ? created + ASSUMED_DUE_MS : Math.max(due, created + MIN_DUE_MS);
  return { endedBy: null, dueAt: Math.min(time, latest), isDueAssumed: due === null, isTrusted: isOfTrusted };
}

/** Applies the messages of a thread, oldest first, to its WORKs. */
function decideWorks(thread: Thread): DecidedWorks {
  const statuses = new Map<Work, WorkStatus>();
  const open = new Map<Writer | string, Set<Work>>();
  const ended = new Map<Step, Work[]>();
  const openOf = (author: Author): Set<Work> => open.get(writerOf(author)) ?? new Set();
  const end = (work: Work, by: Step): void => {
    const status = statuses.get(work);
    if (status === undefined || !openOf(work.author).delete(work)) return;
    statuses.set(work, { ...status, endedBy: by });
    append(ended, by, work);
  };
  for (const message of thread.messages) {
    const { step, author } = message;
    if ('takes' in message) {
      open.set(writerOf(author), openOf(author).add(message));
      statuses.set(message, openStatus(message, step.due, message.created));
    }
    for (const id of step.ends ?? []) {
      const work = thread.workOf(id);
      if (work !== undefined && work !== message && isSameWriter(author, work.author)) end(work, step);
    }
    if (!('reviews' in message)) continue;
    if (author.writer === null) {
      // A RESULT without a key ends the WORKs without a key that it names. Without a line "Ends:" or a due time
      // it also ends those with the same author name.
      const named = step.refersTo.flatMap((id) => thread.workOf(id) ?? []);
      for (const work of named) if (work.author.writer === null) end(work, step);
      if (step.ends === null && step.due === null) for (const work of openOf(author)) end(work, step);
    } else if (step.ends === null && step.corrects.length === 0) {
      // A RESULT without "Ends:" ends the only WORK that its writer has open, or extends it by a new due
      // time.
      const [only] = openOf(author).size === 1 ? openOf(author) : [];
      if (only === undefined) continue;
      if (step.due === null) end(only, step);
      else statuses.set(only, openStatus(only, step.due, Date.parse(step.createdAt)));
    }
  }
  for (const works of ended.values()) works.sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1));
  return { statuses, ended, open };
}

/** @returns the status of the WORKs of a thread, from a cache until its next step */
export const decidedWorksOf = (thread: Thread): DecidedWorks => (thread.decidedWorks ??= decideWorks(thread));

/**
 * @returns the status of a WORK
 * @example #2 WORK by Ann; #3 RESULT by Ann, who has nothing else open: `{ endedBy: #3, … }`
 */
export function statusOf(work: Work): WorkStatus {
  return decidedWorksOf(work.thread).statuses.get(work) ?? openStatus(work, work.step.due, work.created);
}

/**
 * @returns the open WORKs of a thread that the key of a message may end, at most `limit`, newest first
 * @example #2 and #4 WORKs by Ann, #3 WORK by Bob: for a message by Ann, #4 and #2
 */
export function openWorksOf(thread: Thread, author: Author, limit: number): Work[] {
  if (thread.works.length === 0 || author.writer === null) return [];
  return [...(decidedWorksOf(thread).open.get(author.writer) ?? [])].filter(isShown).slice(-limit).reverse();
}

/**
 * @returns the times at which the clock alone moves a WORK to another list
 * @example a WORK that is due at 12:00 is overdue from then on, and leaves the lists 14 days later
 */
export function changesOf(work: Work): number[] {
  const { dueAt } = statusOf(work);
  return [dueAt, dueAt + OVERDUE_MS + 1];
}

/**
 * @param works newest first
 * @returns the WORKs of trusted writers before others, each newest first
 * @example #4 by a stranger, #3 by the opener, #2 by a stranger: #3, #4, #2
 */
export function trustedFirst(works: readonly Work[], viewpoint: Viewpoint): Work[] {
  const [first, others]: [Work[], Work[]] = [[], []];
  for (const work of works) (isTrusted(viewpoint, work.author) ? first : others).push(work);
  return [...first, ...others];
}

/**
 * Chooses WORKs to show, the first by each writer. Without a key, a name identifies the writer.
 *
 *     trusted first: #4 WORK by the opener, #3 by Ann, #2 by Ann    #4, #3
 *
 * @param works in the order in which they may be shown
 */
export function chooseWorks(
  works: Iterable<Work>,
  max: number,
  isWanted: (work: Work) => boolean = () => true,
): Work[] {
  const chosen = new Map<Writer | string, Work>();
  for (const work of works) {
    const writer = writerOf(work.author);
    if (!chosen.has(writer) && isWanted(work)) chosen.set(writer, work);
    if (chosen.size === max) break;
  }
  return [...chosen.values()];
}

/** @returns what identifies the writer of a message: without a key its name, and without a name its id */
const writerOf = ({ writer, normalizedName, id }: Author): Writer | string => writer ?? normalizedName ?? id;

/**
 * Whether two messages of a thread may have the same writer: the same key, or no key and the same name.
 * @example two messages without a key that are both called Ann: true; one of these with a key: false
 */
export function mayHaveSameWriter(one: Author, other: Author): boolean {
  const isUnsigned = one.writer === null && other.writer === null;
  return isUnsigned
    ? one.normalizedName !== null && one.normalizedName === other.normalizedName
    : isSameWriter(one, other);
}

/**
 * Whether two lists of parts have a part in common.
 * @example the parts a and b, and the parts b and c: true
 */
export const sharesPart = (some: readonly Part[], others: readonly Part[]): boolean =>
  some.some((one) => others.some(({ idea, index }) => idea === one.idea && index === one.index));
