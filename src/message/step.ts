import { labelledLines, labelPattern, parseDueTime } from './labels.ts';
import { MAX_REFERENCES, namedPosts, refersTo } from './references.ts';

/** The prefixes of messages on which the lists of work depend. */
export const STEP_PREFIXES = ['IDEA', 'WORK', 'RESULT', 'REVIEW'] as const;

export type StepPrefix = (typeof STEP_PREFIXES)[number];

/** What a REVIEW found, as its line `Outcome:` says. */
export const OUTCOMES = ['confirmed', 'partly confirmed', 'not confirmed', 'withdrawn'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What the lists of work read from a message. A store keeps both, and removes both together. */
export interface StepFacts {
  /** What the author calls itself; null without a name. */
  readonly name: string | null;
  /** As `refersTo`. */
  readonly refersTo: readonly string[];
  /** Of a WORK, the ids on the lines that say which step it takes. */
  readonly takes: readonly string[];
  /** The ids on the lines that say which WORKs it ends: none for "Ends: none"; null without such a line. */
  readonly ends: readonly string[] | null;
  /** Of a WORK or RESULT, as `parseDueTime`. */
  readonly due: number | null;
  /** Of a REVIEW, the ids on the lines that say what it checks; null without such a line. */
  readonly checked: readonly string[] | null;
  /** Of a REVIEW. */
  readonly outcome: Outcome | null;
  /** Of a REVIEW, whether the line of its outcome says `confirmed` and nothing else. */
  readonly confirmsAll: boolean;
  /** Of a RESULT, the ids on the lines that say what it corrects. */
  readonly corrects: readonly string[];
}

export interface Step extends StepFacts {
  readonly id: string;
  /** Any prefix, or none, of a message that has a line `Ends:`. */
  readonly prefix: string | null;
  readonly parentId: string | null;
  readonly rootId: string;
  /** UTC with six fraction digits. */
  readonly createdAt: string;
}

/** The lists of work are made from this number of messages at most, the newest. */
export const MAX_STEPS = 20_000;

interface StepMessage {
  readonly id: string;
  readonly prefix: string | null;
  readonly parentId: string | null;
  readonly name?: string;
  readonly message: string;
  readonly createdAt: string;
}

const ENDS = labelPattern('ends');
const TAKES = labelPattern('step i am taking');
const CHECKED = labelPattern('checked', 'what I checked', 'result being checked', 'reviewed');
const CORRECTS = labelPattern('corrects', 'replaces', 'correction of');
const OUTCOME = labelPattern('outcome');
/** `partly` and `not` come first, since both contain `confirmed`. */
const OUTCOME_WORDS: readonly [RegExp, Outcome][] = [
  [/^(?:partly|partially)[\s-]+confirmed\b/i, 'partly confirmed'],
  [/^not[\s-]+confirmed\b/i, 'not confirmed'],
  [/^confirmed\b/i, 'confirmed'],
  [/^withdrawn\b/i, 'withdrawn'],
];

const NO_OUTCOME = { outcome: null, confirmsAll: false };

export function isStepPrefix(prefix: string | null): prefix is StepPrefix {
  return (STEP_PREFIXES as readonly (string | null)[]).includes(prefix);
}

/** One message corrects or reviews so many RESULTs at most: one REVIEW cannot speak of everything. */
export const MAX_JUDGED = 4;
/** One message ends so many WORKs at most. */
const MAX_ENDED = 9;
/** Most messages have no such word: then their lines need not be looked at. */
const MAY_END = /ends/i;

const CONFIRMS_ALL = /^confirmed[\s.]*$/i;

/** @returns null for a message that no list of work depends on */
export function readStepFacts(post: StepMessage): StepFacts | null {
  const { prefix, message } = post;
  const ends = MAY_END.test(message) ? idsAfter(message, ENDS, MAX_ENDED) : null;
  if (!isStepPrefix(prefix) && ends === null) return null;
  const isReview = prefix === 'REVIEW';
  return {
    name: post.name ?? null,
    refersTo: prefix === 'IDEA' ? [] : refersTo(post),
    takes: (prefix === 'WORK' ? idsAfter(message, TAKES) : null) ?? [],
    ends,
    due: prefix === 'WORK' || prefix === 'RESULT' ? parseDueTime(message, Date.parse(post.createdAt)) : null,
    checked: isReview ? idsAfter(message, CHECKED) : null,
    ...(isReview ? readOutcome(message) : NO_OUTCOME),
    corrects: (prefix === 'RESULT' ? idsAfter(message, CORRECTS, MAX_JUDGED) : null) ?? [],
  };
}

/** @returns how many posts a RESULT says it corrects, or a REVIEW says it checked; 0 of other messages */
export function countJudged({ prefix, message }: Pick<StepMessage, 'prefix' | 'message'>): number {
  if (prefix !== 'RESULT' && prefix !== 'REVIEW') return 0;
  return idsAfter(message, prefix === 'RESULT' ? CORRECTS : CHECKED, Infinity)?.length ?? 0;
}

/** Whether a message has a line `Ends:`, and so is a step whatever its prefix. */
export function hasEndsLine(message: string): boolean {
  return MAY_END.test(message) && idsAfter(message, ENDS) !== null;
}

/** @returns null without a line that begins with the label */
function idsAfter(message: string, label: RegExp, limit = MAX_REFERENCES): string[] | null {
  const lines = [...labelledLines(message, label)];
  if (lines.length === 0) return null;
  return [...new Set(lines.flatMap(namedPosts))].slice(0, limit);
}

function readOutcome(message: string): Pick<StepFacts, 'outcome' | 'confirmsAll'> {
  for (const line of labelledLines(message, OUTCOME))
    for (const [words, outcome] of OUTCOME_WORDS)
      if (words.test(line)) return { outcome, confirmsAll: CONFIRMS_ALL.test(line) };
  return NO_OUTCOME;
}

/**
 * The posts that a REVIEW reviews, at most `MAX_JUDGED`: those that it says it checked and, if that is a
 * RESULT, the one that it replies to. If it has no line that says what it checked, the RESULTs that it refers
 * to.
 * @param isResult whether a visible RESULT has the id
 */
export function reviewedPosts(
  { id, parentId, refersTo: referred, checked }: Pick<Step, 'id' | 'parentId' | 'refersTo' | 'checked'>,
  isResult: (id: string) => boolean,
): string[] {
  const parent = parentId !== null && isResult(parentId) ? [parentId] : [];
  const reviewed = checked === null ? referred.filter(isResult) : [...new Set([...parent, ...checked])];
  return reviewed.filter((one) => one !== id).slice(0, MAX_JUDGED);
}

/** @returns the name as it is compared: without width (NFKC), case and blanks; null if nothing is left */
export function comparableName(name: string | null | undefined): string | null {
  const key = name?.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '') ?? '';
  return key === '' ? null : key;
}
