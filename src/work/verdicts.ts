import type { Outcome, Step } from '#message/step.ts';
import { isMember, newestOf, reviewsBy, standingBy, viewOfOpener } from './trusted.ts';
import {
  append,
  insertTop,
  type Idea,
  type Reason,
  type Result,
  type Said,
  type Standing,
  type Verdict,
  type View,
} from './thread.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

const MAX_REASONS = 5;

/** In the order in which they are shown. */
const JUDGING: readonly Outcome[] = ['not confirmed', 'partly confirmed', 'confirmed'];

const UNREVIEWED: Verdict = {
  standing: 'unreviewed',
  reasons: [],
  more: false,
  reviewers: 0,
  others: [],
  newerEdition: undefined,
  isConfirmedAtLast: false,
  counted: new Set(),
};

/**
 * @param view of its thread; that of the opener without it
 * @returns the standing of a RESULT, from the messages of its thread alone
 */
export function judge(result: Result, view: View = viewOfOpener(result.thread)): Verdict {
  const { verdicts } = view;
  const known = verdicts.get(result);
  if (known !== undefined) return known;
  const open = new Set([result]);
  for (const { corrections } of open) for (const one of corrections) if (!verdicts.has(one)) open.add(one);
  // The newest first, since a chain of a thousand corrections would exceed the stack.
  for (const one of [...open].sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1)))
    verdicts.set(one, decide(one, view));
  return verdicts.get(result) ?? UNREVIEWED;
}

function decide(result: Result, view: View): Verdict {
  if (result.judgements.length + result.corrections.length === 0) return UNREVIEWED;
  const reviews = reviewsBy(view.trusted, result);
  const lists = JUDGING.map((outcome) => reviews.filter(({ step }) => step.outcome === outcome));
  const byTrusted = standingBy(reviews);
  const successors = result.corrections.filter(
    (later) => isSameWriter(later.author, result.author) && withdrawalsOf(later).length === 0,
  );
  // What is confirmed stands until a later edition is.
  const confirmedLater = successors.filter((later) => judge(later, view).isConfirmedAtLast);
  const replacing = byTrusted === 'confirmed' ? confirmedLater : successors;
  const withdrawals = withdrawalsOf(result);
  const reviewsByOthers = result.judgements.filter(
    (one) => isShown(one) && !isSameWriter(one.author, result.author),
  );
  const reviewers = new Set(reviewsByOthers.map(({ author }) => author.writer)).size;
  let [standing, reasons]: [Standing, Reason[]] = [byTrusted, inTurn(lists)];
  if (standing === 'unreviewed' && reviewers > 0) standing = 'reviewed';
  if (replacing.length > 0) {
    standing = 'replaced';
    reasons = replacing.filter(isShown).map(({ step }) => ({ step, outcome: 'replaced' }));
  } else if (withdrawals.length > 0) {
    standing = 'withdrawn';
    reasons = withdrawals.map(({ step }) => ({ step, outcome: step.outcome ?? 'withdrawn' }));
  }
  const newest = standing === 'confirmed' ? successors.findLast(isShown) : undefined;
  return {
    standing,
    reasons: reasons.slice(0, MAX_REASONS),
    more: reasons.length > MAX_REASONS,
    reviewers,
    others: [
      ...outcomesOfOthers(result, view),
      ...(standing === 'reviewed' && reviewsByOthers.some(isIncomplete) ? [null] : []),
    ],
    newerEdition: newest && { id: newest.step.id, standing: judge(newest, view).standing },
    isConfirmedAtLast: standing === 'confirmed' || (standing === 'replaced' && confirmedLater.length > 0),
    counted: new Set([...reviews, ...withdrawals].map(({ step }) => step.id)),
  };
}

/** Whether no report holds a message. */
export const isShown = ({ step }: Pick<Said, 'step'>): boolean => step.isHeld !== true;

/**
 * @returns the first of each list, the second of each, and so on, without those that reports hold: as many as
 *   show that there are more
 */
function inTurn(lists: readonly (readonly Said[])[]): Reason[] {
  const shown = lists.map((list) => list.filter(isShown));
  const found: Reason[] = [];
  const length = Math.max(...shown.map((list) => list.length));
  for (let turn = 0; turn < length && found.length <= MAX_REASONS; turn++)
    for (const { step } of shown.flatMap((list) => list[turn] ?? []))
      found.push({ step, outcome: step.outcome ?? 'withdrawn' });
  return found;
}

/** Whether a REVIEW has no outcome, or one without evidence. */
const isIncomplete = ({ step: { outcome, hasEvidence } }: Said): boolean =>
  outcome === null || (outcome !== 'withdrawn' && hasEvidence !== true);

/** The REVIEWs by which the writer of a RESULT withdraws it. */
function withdrawalsOf({ author, judgements }: Result): Said[] {
  return judgements.filter(
    ({ step, author: reviewer }) =>
      (step.outcome === 'withdrawn' || step.outcome === 'not confirmed') && isSameWriter(reviewer, author),
  );
}

/** What others than trusted writers and the writer of a RESULT say of it, without numbers, since keys cost nothing. */
function outcomesOfOthers(result: Result, { trusted }: View): Outcome[] {
  const reviews = newestOf(result, (reviewer) => !isMember(trusted, reviewer));
  const said = new Set(reviews.map(({ step }) => step.outcome));
  return JUDGING.filter((outcome) => said.has(outcome));
}

/** How a REVIEW counts for the RESULT that it judges. */
export interface Count {
  readonly for: string;
  readonly as: Outcome;
  /** Whether its writer is trusted. Of others only a withdrawal of what is theirs decides anything. */
  readonly trusted: boolean;
}

/** Why a REVIEW counts nothing. */
export type Flaw = 'elsewhere' | 'own' | 'outcome' | 'evidence' | 'nothing withdrawn' | 'not judged';

/** A REVIEW of a RESULT, in whatever thread. */
interface Judgement {
  readonly step: Pick<Step, 'id' | 'outcome' | 'hasEvidence'>;
  readonly author: Author;
}

/** @returns why a REVIEW counts nothing for the RESULT that it judges; empty if it counts */
export function flawsOf(
  result: Result,
  { step, author }: Judgement,
  view: View = viewOfOpener(result.thread),
): Flaw[] {
  const { id, outcome } = step;
  const isOwn = isSameWriter(author, result.author);
  const flaws: Flaw[] = [];
  if (author.rootId !== result.author.rootId) flaws.push('elsewhere');
  if (isOwn && outcome !== 'withdrawn' && outcome !== 'not confirmed') flaws.push('own');
  if (outcome === null) flaws.push('outcome');
  if (!isOwn && outcome !== 'withdrawn' && step.hasEvidence !== true) flaws.push('evidence');
  if (isOwn || flaws.length > 0) return flaws;
  if (outcome === 'withdrawn') {
    const [first] = judgementsBy(author, result, view);
    const isLater = first !== undefined && first.step.id !== id && isSameWriter(first.author, author);
    return isLater ? [] : ['nothing withdrawn'];
  }
  return isMember(view.trusted, author) && !judge(result, view).counted.has(id) ? ['not judged'] : [];
}

function judgementsBy({ writer }: Author, result: Result, { judgements }: View): readonly Said[] {
  let known = judgements.get(result);
  if (known === undefined) {
    const byWriter = new Map<Writer, Said[]>();
    for (const one of result.judgements)
      if (one.author.writer !== null) append(byWriter, one.author.writer, one);
    judgements.set(result, (known = byWriter));
  }
  return (writer && known.get(writer)) ?? [];
}

/** @param review one of `judgements` @returns null if it counts nothing */
export function countOf(
  result: Result,
  review: Said,
  view: View = viewOfOpener(result.thread),
): Count | null {
  const { step, author } = review;
  if (step.outcome === null || flawsOf(result, review, view).length > 0) return null;
  return {
    for: result.step.id,
    as: isSameWriter(author, result.author) ? 'withdrawn' : step.outcome,
    trusted: isMember(view.trusted, author),
  };
}

/** A REVIEW, and how it counts. */
export interface Check extends Count {
  readonly step: Step;
}

/** A RESULT, and REVIEWs of it. */
export interface Checked {
  readonly result: Result;
  readonly checks: readonly Check[];
}

/** REVIEWs of one RESULT that are shown in brief. */
export const MAX_CHECKS = 3;

/**
 * Chooses REVIEWs of a RESULT that count: those that its standing rests on, then those of trusted writers, then
 * those of others, the newest first; one more than are shown, if there are as many.
 */
export function withChecks(result: Result, view: View = viewOfOpener(result.thread)): Checked {
  const { standing, reasons } = judge(result, view);
  const checks: (Check & { readonly place: number })[] = [];
  for (const review of standing === 'replaced' ? [] : result.judgements.toReversed()) {
    const { step, author } = review;
    const reason = reasons.findIndex((one) => one.step === step);
    const place = reason >= 0 ? reason : isMember(view.trusted, author) ? MAX_CHECKS : Infinity;
    const last = checks[MAX_CHECKS];
    // Thousands may have reviewed it, and how one counts costs more than where it stands.
    if (last !== undefined && place >= last.place) continue;
    const count = countOf(result, review, view);
    const isListed = count?.as !== 'withdrawn' && standing !== 'withdrawn' && isShown(review);
    if (count === null || (reason < 0 && !isListed)) continue;
    insertTop(checks, { ...count, step, place }, MAX_CHECKS + 1, (one, other) => one.place < other.place);
  }
  return { result, checks };
}

/** @returns the RESULTs of others that correct one and are confirmed, newest first */
export function correctionsOf(
  result: Result,
  view: View = viewOfOpener(result.thread),
): { readonly step: Step; readonly standing: Standing }[] {
  const others = result.corrections.filter(
    (later) => isShown(later) && !isSameWriter(later.author, result.author),
  );
  return others
    .map((later) => ({ step: later.step, standing: judge(later, view).standing }))
    .filter(({ standing }) => standing === 'confirmed')
    .reverse();
}

/** @returns the message by which its writer has ended an IDEA; others name it on a line `Ends:` in vain */
export function endingOf({ author, endings }: Idea): Step | undefined {
  return endings.find((ending) => isSameWriter(ending.author, author))?.step;
}

export const isEnded = (idea: Idea): boolean => endingOf(idea) !== undefined;
