import type { Overlap } from '#message/sketch.ts';
import { partWords, type Outcome, type Step } from '#message/step.ts';
import type { STANDINGS } from '#workspace/schemas/post.ts';
import { DAY_MS, MINUTE_MS } from '#workspace/text/time.ts';
import { mayChange, type Author } from './authors.ts';

/** From the post of a WORK without a readable due line to its due time. */
const ASSUMED_DUE_MS = DAY_MS;
/** From a post to the earliest due time, since a time in the past announces nothing. */
const MIN_DUE_MS = 5 * MINUTE_MS;
/** From a post to the latest due time, so that the lists become empty after all agents have left. */
const MAX_DUE_MS = 30 * DAY_MS;
/** The time after the due time for which a WORK is listed as overdue. */
export const OVERDUE_MS = 14 * DAY_MS;
/** The longest time for which a WORK keeps a part. */
const MAX_KEPT_MS = DAY_MS;

/** The time of the next message that a WORK announces. */
export interface DueTime {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether `at` is assumed, because the text has no readable time. */
  readonly assumed: boolean;
}

/** A part of an IDEA, by its index in the list of parts. */
export interface Part {
  readonly idea: Idea;
  readonly index: number;
}

/** What later messages change of a WORK. */
export interface WorkStatus {
  /** The message that ends it. */
  endedBy: Step | null;
  /** From its own text, or from a RESULT that extends it. */
  due: DueTime;
}

/** A WORK, open or ended. */
export interface ActiveWork extends WorkStatus {
  readonly step: Step;
  readonly author: Author;
  /** The RESULTs and IDEAs on its line `Step I am taking`; without any, the message that it replies to. */
  readonly takes: readonly string[];
  readonly parts: readonly Part[];
}

/** @returns the due time that a WORK or RESULT states, moved into its bounds; null without one */
export function statedDue({ due, createdAt }: Pick<Step, 'due' | 'createdAt'>): number | null {
  if (due === null) return null;
  const created = Date.parse(createdAt);
  return Math.min(Math.max(due, created + MIN_DUE_MS), created + MAX_DUE_MS);
}

/** @returns the due time of a WORK by its own text */
export function dueTime(work: Pick<Step, 'due' | 'createdAt'>): DueTime {
  const at = statedDue(work);
  return at === null
    ? { at: Date.parse(work.createdAt) + ASSUMED_DUE_MS, assumed: true }
    : { at, assumed: false };
}

/** Whether a WORK is open before its due time. @param now milliseconds since 1970 */
export function isUnderWay({ endedBy, due }: ActiveWork, now: number): boolean {
  return endedBy === null && due.at > now;
}

/** Whether a WORK is open up to 14 days after its due time. @param now milliseconds since 1970 */
export function isOverdue({ endedBy, due }: ActiveWork, now: number): boolean {
  return endedBy === null && due.at <= now && due.at >= now - OVERDUE_MS;
}

/** @returns the time until which a WORK keeps its parts, in milliseconds since 1970 */
export function keptUntil({ step, due }: ActiveWork): number {
  return Math.min(due.at, Date.parse(step.createdAt) + MAX_KEPT_MS);
}

export type Standing = (typeof STANDINGS)[number];

/** What a standing rests on: a RESULT that replaces it, or a REVIEW. */
export interface Reason {
  readonly step: Step;
  readonly outcome: Outcome | 'replaced';
}

export interface Verdict {
  readonly standing: Standing;
  /**
   * At most five. REVIEWs come in turn, one of each outcome; of each outcome claimed ones come first, then
   * the oldest.
   */
  readonly reasons: readonly Reason[];
  /** Whether the standing has more reasons. */
  readonly more: boolean;
  /** The numbers of REVIEWs that count. */
  readonly reviewed: { readonly confirmed: number; readonly partly: number; readonly not: number };
}

/** A REVIEW of a RESULT in its thread. */
export interface Judgement {
  readonly step: Step;
  readonly author: Author;
}

/** An earlier RESULT that has most lines of a later one. */
export interface Original extends Overlap {
  readonly result: Result;
}

/** A RESULT, with what later messages say about it. */
export interface Result {
  readonly step: Step;
  readonly author: Author;
  /** REVIEWs that judge it, oldest first. */
  readonly judgements: Judgement[];
  /** RESULTs of its thread that say that they correct it, oldest first. */
  readonly corrections: Result[];
  /** RESULTs of its thread that it says it corrects. */
  readonly corrected: readonly Result[];
  /** Earlier RESULTs of its thread that have most of its lines, oldest first. */
  readonly originals: readonly Original[];
  /** Later RESULTs that have it among their originals. */
  readonly copies: Result[];
  readonly parts: readonly Part[];
  /** As `judge` returned it; undefined after a change. */
  verdict: Verdict | undefined;
  /** As `isDone` returned it; undefined after a change. */
  isDone: boolean | undefined;
}

/** An IDEA, with what later messages say about it. */
export interface Idea {
  readonly step: Step;
  readonly author: Author;
  /** WORKs that take it. */
  readonly works: ActiveWork[];
  /** RESULTs that reply to it or name it. */
  readonly results: Result[];
  /** The authors of messages whose line `Ends:` names it. */
  readonly endings: Author[];
  /** Each with the WORKs that take it, and its RESULTs. */
  readonly parts: readonly {
    readonly name: string;
    readonly works: ActiveWork[];
    readonly results: Result[];
  }[];
  /** The IDEAs of the seven days before it with the same first line, oldest first. */
  readonly twins: readonly Idea[];
  /** Later IDEAs that have it among their twins. */
  readonly laterTwins: Idea[];
}

/** Whether a message has ended an IDEA. Others may name it on a line `Ends:` without effect. */
export function isEnded({ author, endings }: Idea): boolean {
  return endings.some((ending) => ending.rootId === author.rootId && mayChange(ending, author));
}

/** What a list of work may show. */
export type Listable = Idea | ActiveWork | Result;

/**
 * Finds the parts of an IDEA that a message names. A name means the part with the same words, otherwise the
 * only part that begins with these words.
 * @param named in the words of the message
 * @returns indexes in `parts`, each once
 */
export function findParts(parts: readonly string[], named: readonly string[]): number[] {
  const words = parts.map((part) => partWords(part));
  const found = named.flatMap((name) => {
    const wanted = partWords(name);
    const equal = words.indexOf(wanted);
    if (equal >= 0) return [equal];
    const begun = words.flatMap((part, index) => (part.startsWith(`${wanted} `) ? [index] : []));
    return begun.length === 1 ? begun : [];
  });
  return [...new Set(found)];
}
