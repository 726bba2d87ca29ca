import type { Step } from '#message/step.ts';
import { viewOfOpener } from './trusted.ts';
import {
  insertTop,
  type Trusted,
  type DueTime,
  type Part,
  type Result,
  type Thread,
  type Work,
  type WorkStatus,
} from './thread.ts';
import { isShown } from './verdicts.ts';
import { isMember } from './votes.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** From the post of a WORK without a readable due line to its due time. */
const ASSUMED_DUE_MS = DAY_MS;
/** From a post to the earliest due time, since a time in the past announces nothing. */
const MIN_DUE_MS = 5 * MINUTE_MS;
/** From a post to the latest due time, so that the lists become empty after all agents have left. */
const MAX_DUE_MS = 30 * DAY_MS;
/** The time after the due time for which a WORK is listed as overdue. */
export const OVERDUE_MS = 14 * DAY_MS;
/** The same of a writer that is not trusted. */
const MAX_DUE_OF_OTHERS_MS = DAY_MS;

/** @param due what a WORK or RESULT states @returns its due time, moved into its bounds */
function dueTime(due: number | null, created: number, isOfMember: boolean): DueTime {
  const latest = created + (isOfMember ? MAX_DUE_MS : MAX_DUE_OF_OTHERS_MS);
  const at = due === null ? created + ASSUMED_DUE_MS : Math.max(due, created + MIN_DUE_MS);
  return { at: Math.min(at, latest), assumed: due === null };
}

/** Whether the writer of a WORK is trusted in its thread. */
export const isOfMember = ({ thread, author }: Work): boolean =>
  isMember(viewOfOpener(thread).trusted, author);

const dueOf = (work: Work): DueTime => dueTime(work.step.due, work.created, isOfMember(work));

/** Decides the WORKs of a thread: applies its messages, oldest first. @returns those that have not ended */
function replay(thread: Thread): OpenWorks {
  const open = new OpenWorks();
  thread.isDecided = true;
  for (const message of thread.messages) {
    const { step, author } = message;
    if ('takes' in message) {
      open.add(message);
      message.status = { endedBy: null, due: dueOf(message) };
    }
    for (const id of step.ends ?? []) {
      const work = thread.workOf(id);
      if (work !== undefined && work !== message && isSameWriter(author, work.author)) open.end(work, step);
    }
    if (!('reviews' in message)) continue;
    if (author.writer === null) endUnsigned(thread, open, message);
    // A RESULT that names no WORK ends or extends the only one that its writer has open.
    else if (step.ends === null && step.corrects.length === 0) {
      const only = open.only(author);
      if (only === undefined) continue;
      if (step.due === null) open.end(only, step);
      else
        only.status = { endedBy: null, due: dueTime(step.due, Date.parse(step.createdAt), isOfMember(only)) };
    }
  }
  return open;
}

/** Ends the WORKs without a key that a RESULT without a key names, or that have its name if it is the last. */
function endUnsigned(thread: Thread, open: OpenWorks, { step, author }: Result): void {
  const named = step.refersTo.flatMap((id) => thread.workOf(id) ?? []);
  for (const work of named) if (work.author.writer === null) open.end(work, step);
  if (step.ends === null && step.due === null) for (const work of open.by(author)) open.end(work, step);
}

/** @returns what the messages of its thread make of a WORK */
export function statusOf(work: Work): WorkStatus {
  if (work.status === undefined) replay(work.thread);
  return work.status ?? { endedBy: null, due: dueOf(work) };
}

/** @returns the open WORKs of its thread that the key of a message may end, at most `limit`, newest first */
export function openWorksOf(thread: Thread, author: Author, limit: number): Work[] {
  return thread.works.length === 0 || author.writer === null ? [] : replay(thread).newestBy(author, limit);
}

/** @returns the times at which the clock alone moves a WORK to another list */
export function changesOf(work: Work): number[] {
  const { at } = statusOf(work).due;
  return [at, at + OVERDUE_MS + 1];
}

interface Choice {
  readonly work: Work;
  readonly rank: number;
  readonly writer: Writer | string;
}

const isChosenBefore = (one: Choice, other: Choice): boolean =>
  one.rank > other.rank || (one.rank === other.rank && one.work.step.createdAt > other.work.step.createdAt);

/**
 * Chooses WORKs to show, one of each writer: those of trusted ones first, each newest first. Without a key a name
 * stands for its writer.
 * @param works best the newest first, since `isWanted` is asked only of those that would be among the chosen
 * @param trusted that of the thread of each WORK without it
 */
export function chooseWorks(
  works: Iterable<Work>,
  max: number,
  trusted?: Trusted,
  isWanted: (work: Work) => boolean = () => true,
): Work[] {
  const chosen: Choice[] = [];
  for (const work of works) {
    const isFirst = trusted === undefined ? isOfMember(work) : isMember(trusted, work.author);
    const choice = { work, rank: Number(isFirst), writer: writerOf(work.author) };
    const last = chosen[max - 1];
    if (last !== undefined && !isChosenBefore(choice, last)) continue;
    const same = chosen.findIndex(({ writer }) => writer === choice.writer);
    const rival = chosen[same];
    if ((rival !== undefined && !isChosenBefore(choice, rival)) || !isWanted(work)) continue;
    if (same >= 0) chosen.splice(same, 1);
    insertTop(chosen, choice, max, isChosenBefore);
  }
  return chosen.map(({ work }) => work);
}

/** @returns what stands for the writer of a message: without a key its name, and without a name its id */
const writerOf = ({ writer, comparable, id }: Author): Writer | string => writer ?? comparable ?? id;

/** Whether two messages of a thread may be of one writer: they have one key, or no key and one name. */
export function mayBeOwn(one: Author, other: Author): boolean {
  const isUnsigned = one.writer === null && other.writer === null;
  return isUnsigned
    ? one.comparable !== null && one.comparable === other.comparable
    : isSameWriter(one, other);
}

export const sharesPart = (some: readonly Part[], others: readonly Part[]): boolean =>
  some.some((one) => others.some(({ idea, index }) => idea === one.idea && index === one.index));

/** The WORKs of a thread that have not ended. */
class OpenWorks {
  /** By `writerOf`, oldest first. */
  readonly #byWriter = new Map<Writer | string, Set<Work>>();

  /** @param work later than all that were added before */
  add(work: Work): void {
    const writer = writerOf(work.author);
    const works = this.#byWriter.get(writer);
    if (works === undefined) this.#byWriter.set(writer, new Set([work]));
    else works.add(work);
  }

  /** @param by the message that ends it, unless it has ended */
  end(work: Work, by: Step): void {
    if (this.by(work.author).delete(work))
      work.status = { endedBy: by, due: work.status?.due ?? dueOf(work) };
  }

  /** @returns the only open WORK of a writer */
  only(author: Author): Work | undefined {
    const works = this.by(author);
    return works.size === 1 ? works.values().next().value : undefined;
  }

  /** @returns the open WORKs of a writer that no report holds, at most `limit`, newest first */
  newestBy(author: Author, limit: number): Work[] {
    return [...this.by(author)].filter(isShown).slice(-limit).reverse();
  }

  by(author: Author): Set<Work> {
    return this.#byWriter.get(writerOf(author)) ?? new Set();
  }
}
