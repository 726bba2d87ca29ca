import type { Step } from '#message/step.ts';
import { isMember } from './circle.ts';
import {
  insertTop,
  type Circle,
  type DueTime,
  type Part,
  type Thread,
  type Work,
  type WorkStatus,
} from './thread.ts';
import { isShown } from './verdicts.ts';
import { isClaimed, isSameWriter, type Author, type Writer } from './writers.ts';

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
/** From a post without a claimed mark to its latest due time. */
const MAX_UNCLAIMED_MS = 60 * MINUTE_MS;

/** @returns the due time that a WORK or RESULT states, moved into its bounds; null without one */
export function statedDue({ due, createdAt }: Pick<Step, 'due' | 'createdAt'>): number | null {
  if (due === null) return null;
  const created = Date.parse(createdAt);
  return Math.min(Math.max(due, created + MIN_DUE_MS), created + MAX_DUE_MS);
}

/** @returns the due time of a WORK by its own text */
export function dueTime(work: Pick<Step, 'due' | 'createdAt'>, isWriterClaimed: boolean): DueTime {
  const stated = statedDue(work);
  const created = Date.parse(work.createdAt);
  const at = stated ?? created + ASSUMED_DUE_MS;
  return {
    at: isWriterClaimed ? at : Math.min(at, created + MAX_UNCLAIMED_MS),
    assumed: stated === null,
  };
}

function dueOf(work: Work): DueTime {
  // Thousands are asked for with each step, and to parse a time takes most of what that costs.
  work.dues ??= { claimed: dueTime(work.step, true), unclaimed: dueTime(work.step, false) };
  return isClaimed(work.author) ? work.dues.claimed : work.dues.unclaimed;
}

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
    // A RESULT that names no WORK ends or extends the only one that its writer has open.
    if (!('judgements' in message) || step.ends !== null || step.corrects.length > 0) continue;
    const only = open.only(author);
    if (only === undefined) continue;
    const at = statedDue(step);
    if (at === null) open.end(only, step);
    else only.status = { endedBy: null, due: { at, assumed: false } };
  }
  return open;
}

/** @returns what the messages of its thread make of a WORK */
export function statusOf(work: Work): WorkStatus {
  if (work.status === undefined) replay(work.thread);
  return work.status ?? { endedBy: null, due: dueOf(work) };
}

/** @returns the open WORKs of its thread that a message may end, at most `limit`, newest first */
export function openWorksOf(thread: Thread, author: Author, limit: number): Work[] {
  return thread.works.length === 0 ? [] : replay(thread).of(author, limit);
}

/** @returns the times at which the clock alone moves a WORK to another list */
export function changesOf(work: Work): number[] {
  const { at } = statusOf(work).due;
  return [at, at + OVERDUE_MS + 1];
}

/** What is shown of WORKs, and how many there are besides. */
export interface ShownWorks {
  readonly shown: readonly Work[];
  readonly more: number;
}

interface Choice {
  readonly work: Work;
  readonly rank: number;
  /** Without a claimed mark a name stands for its writer. */
  readonly writer: Writer | string;
}

const isChosenBefore = (one: Choice, other: Choice): boolean =>
  one.rank > other.rank || (one.rank === other.rank && one.work.step.createdAt > other.work.step.createdAt);

/**
 * Chooses WORKs to show, one of each writer: those of a circle first, then claimed ones, each newest first.
 * @param works best the newest first, since `isWanted` is asked only of those that would be among the chosen
 */
export function chooseWorks(
  works: Iterable<Work>,
  circle: Circle,
  max: number,
  isWanted: (work: Work) => boolean = () => true,
): Work[] {
  const chosen: Choice[] = [];
  for (const work of works) {
    const { step, author } = work;
    const rank = isMember(circle, author) ? 2 : Number(isClaimed(author));
    const writer = author.writer?.isClaimed === true ? author.writer : (author.comparable ?? step.id);
    const choice = { work, rank, writer };
    const same = chosen.findIndex((one) => one.writer === writer);
    const rival = chosen[same < 0 ? max - 1 : same];
    if ((rival !== undefined && !isChosenBefore(choice, rival)) || !isWanted(work)) continue;
    if (same >= 0) chosen.splice(same, 1);
    insertTop(chosen, choice, max, isChosenBefore);
  }
  return chosen.map(({ work }) => work);
}

/**
 * Whether two messages may be of one writer. In different threads, or if both are unclaimed, the names are
 * compared.
 */
export function mayBeOwn(one: Author, other: Author): boolean {
  if (isSameWriter(one, other)) return true;
  const isUnknown = one.rootId !== other.rootId || (!isClaimed(one) && !isClaimed(other));
  return isUnknown && one.comparable !== null && one.comparable === other.comparable;
}

export const sharesPart = (some: readonly Part[], others: readonly Part[]): boolean =>
  some.some((one) => others.some(({ idea, index }) => idea === one.idea && index === one.index));

/** The claimed WORKs of a thread that have not ended. */
class OpenWorks {
  /** Oldest first. */
  readonly #byWriter = new Map<Writer, Set<Work>>();

  /** @param work later than all that were added before */
  add(work: Work): void {
    const { writer } = work.author;
    if (writer === null || !writer.isClaimed) return;
    const works = this.#byWriter.get(writer);
    if (works === undefined) this.#byWriter.set(writer, new Set([work]));
    else works.add(work);
  }

  /** @param by the message that ends it, unless it has ended */
  end(work: Work, by: Step): void {
    if (this.#of(work.author).delete(work))
      work.status = { endedBy: by, due: work.status?.due ?? dueOf(work) };
  }

  /** @returns the only open WORK of a writer */
  only(author: Author): Work | undefined {
    const works = this.#of(author);
    return works.size === 1 ? works.values().next().value : undefined;
  }

  /** @returns the open WORKs of a writer that no report holds, at most `limit`, newest first */
  of(author: Author, limit: number): Work[] {
    return [...this.#of(author)].filter(isShown).slice(-limit).reverse();
  }

  #of({ writer }: Author): Set<Work> {
    return (writer === null ? undefined : this.#byWriter.get(writer)) ?? new Set();
  }
}
