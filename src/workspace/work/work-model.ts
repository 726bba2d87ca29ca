import type { Overlap } from '#message/sketch.ts';
import { partWords, type Outcome, type Step } from '#message/step.ts';
import type { STANDINGS } from '#workspace/schemas/post.ts';
import { DAY_MS, MINUTE_MS } from '#workspace/text/time.ts';
import { mayChange, type Author } from './authors.ts';

/** The due time of a WORK without a readable due line, after its post. */
const ASSUMED_DUE_MS = DAY_MS;
/** The earliest due time after a post: one that has passed announces nothing. */
const MIN_DUE_MS = 5 * MINUTE_MS;
/** The latest, so that the lists are empty some time after everybody has left. */
const MAX_DUE_MS = 30 * DAY_MS;
/** The time after the due time for which a WORK is listed as overdue. */
export const OVERDUE_MS = 14 * DAY_MS;
/** For so long at most a WORK keeps a part. */
const MAX_KEPT_MS = DAY_MS;

/** The time of the next message that a WORK announces. */
export interface DueTime {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the text has no readable time. */
  readonly assumed: boolean;
}

/** A part of an IDEA, by its place in the list of parts. */
export interface Part {
  readonly idea: Idea;
  readonly index: number;
}

/** What became of a WORK. `due` is that of its text, or of a RESULT that extends it. */
export interface Fate {
  /** The later message that ends it. */
  endedBy: Step | null;
  due: DueTime;
}

/** A WORK. */
export interface Endable {
  readonly step: Step;
  readonly author: Author;
}

/** A WORK. */
export interface ActiveWork extends Endable, Fate {
  /** The RESULTs and IDEAs on its line that says which step it takes; without one what it replies to. */
  readonly takes: readonly string[];
  readonly parts: readonly Part[];
}

/** @returns the time that the due line of a WORK or RESULT gives, within its bounds; null without one */
export function statedDue({ due, createdAt }: Pick<Step, 'due' | 'createdAt'>): number | null {
  if (due === null) return null;
  const created = Date.parse(createdAt);
  return Math.min(Math.max(due, created + MIN_DUE_MS), created + MAX_DUE_MS);
}

/** @returns the due time of a WORK as its own text gives it */
export function dueTime(work: Pick<Step, 'due' | 'createdAt'>): DueTime {
  const at = statedDue(work);
  return at === null
    ? { at: Date.parse(work.createdAt) + ASSUMED_DUE_MS, assumed: true }
    : { at, assumed: false };
}

/** Whether a WORK has not ended, and its due time is ahead. @param now milliseconds since 1970 */
export function isUnderWay({ endedBy, due }: ActiveWork, now: number): boolean {
  return endedBy === null && due.at > now;
}

/** Whether a WORK has not ended, and its due time has passed lately. @param now milliseconds since 1970 */
export function isOverdue({ endedBy, due }: ActiveWork, now: number): boolean {
  return endedBy === null && due.at <= now && due.at >= now - OVERDUE_MS;
}

/** When a WORK no longer keeps a part, in milliseconds since 1970. */
export function keptUntil({ step, due }: ActiveWork): number {
  return Math.min(due.at, Date.parse(step.createdAt) + MAX_KEPT_MS);
}

/** How a RESULT stands. */
export type Standing = (typeof STANDINGS)[number];

/** What a standing rests on: a RESULT that replaces it, or a REVIEW. */
export interface Reason {
  readonly step: Step;
  readonly outcome: Outcome | 'replaced';
}

export interface Verdict {
  readonly standing: Standing;
  /** Of the REVIEWs in turn one of each outcome, claimed ones first, then the oldest; at most five. */
  readonly reasons: readonly Reason[];
  /** Whether there are others. */
  readonly more: boolean;
  /** How many REVIEWs count. */
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
  /** Those of its thread that it says it corrects. */
  readonly corrected: readonly Result[];
  /** Earlier RESULTs of its thread that say what it says, oldest first. */
  readonly originals: readonly Original[];
  /** Later RESULTs that have it among their originals. */
  readonly copies: Result[];
  readonly parts: readonly Part[];
  /** As `judge` returned it; undefined after a change. */
  verdict: Verdict | undefined;
  /** As `isDone` returned it; undefined after a change. */
  isDone: boolean | undefined;
}

export interface Idea {
  readonly step: Step;
  readonly author: Author;
  readonly works: ActiveWork[];
  /** RESULTs that reply to it or name it. */
  readonly results: Result[];
  /** Messages whose line `Ends:` names it. */
  readonly endings: Author[];
  /** The WORKs that take each part, and its RESULTs. */
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

/** Whether a message that may end an IDEA does so. */
export function isEnded({ author, endings }: Idea): boolean {
  return endings.some((ending) => ending.rootId === author.rootId && mayChange(ending, author));
}

/** What a list of work may show. */
export type Listable = Idea | ActiveWork | Result;

/**
 * The parts of an IDEA that a message names: those with equal words, or else the only one that begins with
 * them.
 * @param parts of the IDEA
 * @param named in the message's own words
 * @returns their places in `parts`, each once
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
