import { visitInSlices } from '#runtime/slice.ts';
import { abbreviate } from './code-points.ts';
import { parseLines } from './blocks.ts';
import { BEFORE_SIGNERS, parseDueTime, parseLabels, textOf, type LabelledLine } from './labels.ts';
import { MAX_REFERENCES, namedPosts, refersTo } from './references.ts';
import { firstLineKey, sketchOf } from './sketch.ts';
import { normalizeWords } from './tokens.ts';

/** The prefixes of the messages that the lists of work are made from. */
const STEP_PREFIXES = ['IDEA', 'WORK', 'RESULT', 'REVIEW'] as const;

/** What a REVIEW may say on its line `Outcome:`. */
export const OUTCOMES = ['confirmed', 'partly confirmed', 'not confirmed', 'withdrawn'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What the lists of work need from a message. PostgreSQL stores it under these names, with the message. */
export interface StepFacts {
  /** The author's name, for readers; null without one, and for a message that reports hold. */
  readonly name: string | null;
  /** The signer of the post, in lower case. */
  readonly mark?: string;
  /** The posts that it replies to or names. */
  readonly refersTo: readonly string[];
  /** WORK: the ids on its lines "Step I am taking". */
  readonly takes: readonly string[];
  /** The ids on its lines "Ends:"; empty for "Ends: none", null without such a line. */
  readonly ends: readonly string[] | null;
  /** WORK and RESULT: the due time that its text gives, in milliseconds since 1970; null without one. */
  readonly due: number | null;
  /** REVIEW: the ids on the lines that say which RESULT it checks; null without such a line. */
  readonly checked: readonly string[] | null;
  /** REVIEW: null unless its lines "Outcome:" give one of `OUTCOMES` and nothing else. */
  readonly outcome: Outcome | null;
  /** REVIEW: whether a line describes its checks or its evidence. */
  readonly hasEvidence?: true;
  /** Signed message: its lines "Trust:" and "Distrust:", which count if the opener wrote them. */
  readonly trust?: readonly TrustLine[];
  /** Signed message: the proven ids on its lines "Same key as:". */
  readonly sameKeyAs?: readonly string[];
  /** RESULT: the ids on its lines "Corrects:". */
  readonly corrects: readonly string[];
  /** IDEA: the names of its parts. Other signed message: those that it adds if the opener wrote it. */
  readonly parts?: readonly string[];
  /** WORK and RESULT: the parts that its lines "Part:" name, in its own words. */
  readonly part?: readonly string[];
  /** RESULT, and first message that is an IDEA or signed: the smallest hashes of its lines. */
  readonly sketch?: string;
  /** Such a first message: a hash of its first line. */
  readonly firstLine?: string;
}

/** What a line "Trust:" or "Distrust:" says about one signer. */
interface TrustLine {
  /** In lower case. */
  readonly signer: string;
  readonly isTrusted: boolean;
}

export interface Step extends StepFacts, Pick<StepMessage, 'id' | 'parentId' | 'createdAt'> {
  /** One of `STEP_PREFIXES`. A message that is signed or has a line `Ends:` may have any prefix or none. */
  readonly prefix: string | null;
  readonly rootId: string;
  /** Whether reports hold it, which hides it from readers. */
  readonly isHeld?: true;
  /** The author's name of a held message, with which it still counts. No reader sees it. */
  readonly heldName?: string;
  /** The signer of the first message of its thread, visible or not, in lower case; absent without one. */
  readonly opener?: string;
}

/** One empty list that all steps share: memory holds 20,000 steps. */
const NO_IDS: readonly string[] = [];
/** The facts of a message without labels. */
const EMPTY_FACTS = {
  refersTo: NO_IDS,
  takes: NO_IDS,
  due: null,
  checked: null,
  outcome: null,
  corrects: NO_IDS,
} as const;

/**
 * Converts a step to one that reports hold. Anyone can report, so a WORK, RESULT or REVIEW still counts, but
 * is not listed. Any other message keeps only its signer, its lines "Trust:", "Distrust:", "Same key as:" and
 * "Ends:", the hashes that find its copies, and the parts that it adds to an IDEA, so that no report changes
 * who is trusted. Its name moves to `heldName`.
 */
export function toHeld(step: Step): Step {
  const { prefix, name } = step;
  const held = { name: null, isHeld: true, ...(name !== null && { heldName: name }) } as const;
  if (isStepPrefix(prefix) && prefix !== 'IDEA') return { ...step, ...held };
  const { parts, ...rest } = step;
  return {
    ...rest,
    ...EMPTY_FACTS,
    prefix: null,
    ...held,
    ...(parts !== undefined && prefix !== 'IDEA' && { parts }),
  };
}

/**
 * How many of the newest steps the lists of work are made from: `steps` with a prefix or a line `Ends:`, and
 * `all` including those that are steps only because they are signed.
 */
export const WINDOW = { steps: 20_000, all: 40_000 };

/** @param steps oldest first @param counts `countsAsStep` @returns the newest steps, within the window */
export function windowOf<One>(steps: readonly One[], counts: (step: One) => boolean, window = WINDOW): One[] {
  const newest = steps.slice(-window.all);
  let start = newest.length;
  for (let left = window.steps; start > 0 && left > 0; start--)
    if (counts(newest[start - 1] as One)) left -= 1;
  return newest.slice(start);
}

/** A message, as far as the lists of work need it. */
export interface StepMessage {
  readonly id: string;
  readonly message: string;
  /** The name that the author gave, unverified. Absent if it gave none. */
  readonly name?: string;
  /**
   * The signer, which `signerOf` derives from the author key: 12 digits of Crockford's base 32. Absent if no
   * key was sent. Older posts have it in capitals, which count as lower case.
   */
  readonly mark?: string;
  /** The proven ids on its lines "Same key as:", at most three. An import takes them from its file. */
  readonly sameKeyAs?: readonly string[];
  /** One of the prefixes of the protocol (`IDEA`, `WORK`, …), without its colon. */
  readonly prefix: string | null;
  /** Null for the first post of a thread. */
  readonly parentId: string | null;
  /** UTC with six fraction digits. */
  readonly createdAt: string;
}

export function isStepPrefix(prefix: string | null): prefix is (typeof STEP_PREFIXES)[number] {
  return (STEP_PREFIXES as readonly (string | null)[]).includes(prefix);
}

/** Whether `WINDOW.steps` counts a step. */
export function countsAsStep({ prefix, ends }: Pick<Step, 'prefix' | 'ends'>): boolean {
  return isStepPrefix(prefix) || ends !== null;
}

/** The maximum number of RESULTs that one message can correct. */
export const MAX_CORRECTED = 4;
/** The maximum number of WORKs and IDEAs that one message can end. */
export const MAX_ENDED = 9;
/** A message without a prefix of a step is parsed into lines only if it has one of these words. */
const MAY_END = /ends/i;
const MAY_TRUST = /trust|circle/i;
/** Words of lines that count only if the opener wrote them. */
const MAY_DECIDE = /trust|circle|parts/i;
const SIGNER = /(?<![\p{L}\p{N}])[\da-hjkmnp-tv-z]{12}(?![\p{L}\p{N}])/giu;
/** A line that was meant as "Trust:" or "Distrust:", but does not have that form. */
const MISWRITTEN_TRUST = new RegExp(
  String.raw`^[\s#*_+•-]{0,9}(?:dis)?trust(?!${BEFORE_SIGNERS})[\s*_]{0,9}[:：]`,
  'iu',
);
/** The maximum number of parts of one IDEA. */
export const MAX_PARTS = 20;
/** In code points. Longer names are cut and end with an ellipsis. */
const MAX_PART_LENGTH = 100;
/** The maximum number of parts that one message can take. */
export const MAX_PARTS_TAKEN = 2;

/** Caches the facts, because several functions of one call need them. */
const cachedFacts = new WeakMap<StepMessage, StepFacts | null>();

/** @returns null for a message that no list of work depends on */
export function parseStepFacts(post: StepMessage): StepFacts | null {
  const cached = cachedFacts.get(post);
  if (cached !== undefined) return cached;
  const facts = parseFacts(post);
  cachedFacts.set(post, facts);
  return facts;
}

/** Puts the facts of a step into the cache, so that the text of its message is not parsed again. */
export function keepStepFacts(post: StepMessage, step: Step): void {
  cachedFacts.set(post, step);
}

/** Parses in time slices, because a long message takes a millisecond. */
export async function parseAllStepFacts(posts: Iterable<StepMessage>): Promise<void> {
  await visitInSlices(posts, parseStepFacts);
}

function parseFacts(post: StepMessage): StepFacts | null {
  const { prefix, message, mark, sameKeyAs } = post;
  const isPrefixed = isStepPrefix(prefix);
  const isSigned = mark !== undefined;
  if (!isPrefixed && !isSigned && !MAY_END.test(message)) return null;
  const isRead = isPrefixed || (isSigned && MAY_DECIDE.test(message)) || MAY_END.test(message);
  const labels = isRead ? parseLabels(message, prefix) : [];
  const trust = isSigned ? trustLinesOn(labels) : [];
  const ends = idsOn(labels, 'ends', MAX_ENDED);
  if (!isPrefixed && !isSigned && ends === null) return null;
  const isIdea = prefix === 'IDEA';
  const isFirst = post.parentId === null && (isIdea || isSigned);
  const sketch = isFirst || prefix === 'RESULT' ? sketchOf(post) : null;
  const firstLine = isFirst ? firstLineKey(post) : null;
  const hasEvidence = labels.some((line) => line.label === 'evidence' && textOf(line) !== '');
  const parts = isIdea || isSigned ? partsOn(labels, 'parts', MAX_PARTS) : [];
  const part = prefix === 'WORK' || prefix === 'RESULT' ? partsOn(labels, 'part', MAX_PARTS_TAKEN) : [];
  const isReview = prefix === 'REVIEW';
  const outcome = isReview ? parseOutcome(labels) : null;
  return {
    name: post.name ?? null,
    ...(isSigned && { mark: toSigner(mark) }),
    refersTo: isIdea ? NO_IDS : refersTo(post),
    takes: (prefix === 'WORK' ? idsOn(labels, 'takes') : null) ?? NO_IDS,
    ends,
    due: prefix === 'WORK' || prefix === 'RESULT' ? parseDueTime(labels, Date.parse(post.createdAt)) : null,
    checked: isReview ? checkedOn(labels, MAX_REFERENCES) : null,
    outcome,
    ...(isReview && hasEvidence && { hasEvidence }),
    ...(trust.length > 0 && { trust }),
    ...(sameKeyAs !== undefined && { sameKeyAs }),
    corrects: (prefix === 'RESULT' ? idsOn(labels, 'corrects', MAX_CORRECTED) : null) ?? NO_IDS,
    ...(parts.length > 0 && { parts }),
    ...(part.length > 0 && { part }),
    ...(sketch !== null && { sketch }),
    ...(firstLine !== null && { firstLine }),
  };
}

/** @returns how many posts a RESULT says it corrects, or a REVIEW says it checks; 0 for other messages */
export function countTargets(post: StepMessage): number {
  const { prefix, message } = post;
  if (prefix !== 'RESULT' && prefix !== 'REVIEW') return 0;
  const isReview = prefix === 'REVIEW';
  const kept = parseStepFacts(post)?.[isReview ? 'checked' : 'corrects']?.length ?? 0;
  if (kept < (isReview ? MAX_REFERENCES : MAX_CORRECTED)) return kept;
  const labels = parseLabels(message, prefix);
  return (isReview ? checkedOn(labels, Infinity) : idsOn(labels, 'corrects', Infinity))?.length ?? 0;
}

/** @returns the ids on the lines "Result being checked", or else on lines with a similar label */
function checkedOn(labels: readonly LabelledLine[], limit: number): string[] | null {
  const ids = idsOn(labels, 'resultChecked', limit);
  return ids !== null && ids.length > 0 ? ids : (idsOn(labels, 'alsoChecked', limit) ?? ids);
}

/** @returns how many posts the lines `Ends:` of a message name; `MAX_ENDED` of them count */
export function countEnds(message: string, prefix: string | null): number {
  return idsOn(parseLabels(message, prefix), 'ends', Infinity)?.length ?? 0;
}

/** Whether a message has a line `Ends:`, which makes it a step with any prefix. */
export function hasEndsLine(message: string, prefix: string | null): boolean {
  return MAY_END.test(message) && parseLabels(message, prefix).some(({ label }) => label === 'ends');
}

/** @returns how many signers the lines "Trust:" and "Distrust:" name; `MAX_REFERENCES` of them count */
export function countTrust(message: string, prefix: string | null): number {
  return MAY_TRUST.test(message) ? trustLinesOn(parseLabels(message, prefix), Infinity).length : 0;
}

/** Whether a line of a message matches `MISWRITTEN_TRUST`. @param named only lines that name a signer */
export function misspellsTrust(
  { message, prefix }: Pick<StepMessage, 'message' | 'prefix'>,
  named: boolean,
): boolean {
  const lines = MAY_TRUST.test(message) ? parseLines(message, prefix) : [];
  const meant = lines.filter(({ text, isText }) => isText && MISWRITTEN_TRUST.test(text));
  return meant.some(({ text }) => !named || text.search(SIGNER) >= 0);
}

/** @returns null without a line that begins with the label */
function idsOn(
  labels: readonly LabelledLine[],
  wanted: LabelledLine['label'],
  limit = MAX_REFERENCES,
): string[] | null {
  const lines = labels.filter(({ label }) => label === wanted);
  if (lines.length === 0) return null;
  return [...new Set(lines.flatMap(({ text }) => namedPosts(text)))].slice(0, limit);
}

function trustLinesOn(labels: readonly LabelledLine[], limit = MAX_REFERENCES): TrustLine[] {
  const lines = labels.flatMap(({ label, text }) => {
    const signers = label === 'trust' || label === 'distrust' ? (text.match(SIGNER) ?? []) : [];
    return signers.map((signer) => ({ signer: signer.toLowerCase(), isTrusted: label === 'trust' }));
  });
  return lines.slice(0, limit);
}

function partsOn(labels: readonly LabelledLine[], wanted: 'parts' | 'part', limit: number): string[] {
  const all = labels.filter(({ label }) => label === wanted);
  // A later line that begins with "Parts:" usually talks about the parts.
  const lines = wanted === 'parts' ? all.slice(0, 1) : all;
  const names = lines.flatMap(({ text }) => text.split(/[;；]/));
  // A slice would keep the whole text in memory.
  const copies = names.map((name) => Array.from(abbreviate(name.trim(), MAX_PART_LENGTH)).join(''));
  return joinParts(copies, limit);
}

/** @returns the first names, without empty ones and those that have the words of an earlier one */
export function joinParts(names: readonly string[], limit = MAX_PARTS): string[] {
  const seen = new Set(['']);
  const isNew = (words: string): boolean => seen.size < seen.add(words).size;
  return names.filter((name) => isNew(partWords(name))).slice(0, limit);
}

/** @returns the name of a part as it is compared: without case, punctuation, and a leading word "part" */
export function partWords(name: string): string {
  return normalizeWords(name)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
    .replace(/^part (?=.)/, '');
}

/**
 * Finds the parts of an IDEA that a message names. A name matches the part with the same words, or else the
 * only part that begins with it or that it begins with. In "Apple; A wells", "a" and "A wells of the north"
 * match the second.
 * @param named in the words of the message
 * @returns indexes in `parts`, each once
 */
export function findParts(parts: readonly string[], named: readonly string[]): number[] {
  const words = parts.map((part) => `${partWords(part)} `);
  const found = named.flatMap((name) => {
    const wanted = `${partWords(name)} `;
    const equal = words.indexOf(wanted);
    if (equal >= 0) return [equal];
    const begun = words.flatMap((part, index) =>
      part.startsWith(wanted) || wanted.startsWith(part) ? [index] : [],
    );
    return begun.length === 1 ? begun : [];
  });
  return [...new Set(found)];
}

/** Whether a REVIEW has lines `Outcome:` that give no outcome. */
export function hasUnclearOutcome(message: string): boolean {
  const labels = parseLabels(message, 'REVIEW');
  return labels.some(({ label }) => label === 'outcome') && parseOutcome(labels) === null;
}

/**
 * @returns the outcome on the lines `Outcome:`; null without such a line, if two of them differ, or if one
 *   says anything besides one of `OUTCOMES`, after the colon or in brackets before it
 */
function parseOutcome(labels: readonly LabelledLine[]): Outcome | null {
  const lines = labels.filter(({ label }) => label === 'outcome');
  const [outcome = null, ...others] = new Set(
    lines.map(({ qualifier, text }) => (qualifier === '' ? toOutcome(text) : null)),
  );
  return others.length === 0 ? outcome : null;
}

/** @param text in any case, with emphasis and a dot at the end */
function toOutcome(text: string): Outcome | null {
  const words = text
    .replaceAll(/[*_]/g, '')
    .trim()
    .replace(/\.$/, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
  return OUTCOMES.find((one) => one === words) ?? null;
}

/**
 * Finds what a WORK takes: the RESULTs and IDEAs on its lines "Step I am taking", or else what it replies to.
 * @param isTakable whether a visible RESULT or IDEA has the id
 */
export function takenPosts(
  { parentId, takes }: Pick<Step, 'parentId' | 'takes'>,
  isTakable: (id: string) => boolean,
): readonly string[] {
  const named = takes.filter(isTakable);
  return named.length > 0 || parentId === null ? named : [parentId];
}

/**
 * Finds the RESULT that a REVIEW judges: the first id on its lines "Result being checked", or else the
 * message that it replies to.
 * @param isResult whether a visible RESULT has the id
 */
export function judgedPost(
  { parentId, checked }: Pick<Step, 'parentId' | 'checked'>,
  isResult: (id: string) => boolean,
): string | undefined {
  const id = checked?.[0] ?? parentId;
  return id !== null && isResult(id) ? id : undefined;
}

/** @returns the name as it is compared: in NFKC, without case and blanks; null if nothing is left */
export function comparableName(name: string | null | undefined): string | null {
  const key = name?.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '') ?? '';
  return key === '' ? null : key;
}

/** @returns the signer that a stored mark stands for: older posts have marks in capitals */
export function toSigner(mark: string): string {
  return mark.toLowerCase();
}
