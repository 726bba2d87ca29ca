import type { Outcome, Step } from '#message/step.ts';
import { MAX_SHOWN } from './lists.ts';
import { viewOfOpener } from './trusted.ts';
import type {
  Idea,
  Dissent,
  ReviewSummary,
  Result,
  AuthoredStep,
  Standing,
  Verdict,
  View,
  Judgement,
} from './thread.ts';
import {
  confirmedSince,
  countedJudgements,
  isBefore,
  isSinceEnd,
  isTrusted,
  JUDGING,
  newestJudgements,
  standingByVotes,
  votesOf,
} from './votes.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';

const UNREVIEWED: Verdict = {
  standing: 'unreviewed',
  byVotes: undefined,
  judgements: new Map(),
  firsts: new Map(),
  confirmedSince: undefined,
  reviewers: 0,
  replacedBy: undefined,
  withdrawal: undefined,
  newerEdition: undefined,
  newestEditions: [],
};

/** @returns 2 for a RESULT that is confirmed in full, 1 in part, 0 for any other */
const rankOf = (byVotes: Verdict['byVotes']): number =>
  byVotes === 'confirmed' ? 2 : Number(byVotes === 'partlyConfirmed');

/**
 * Decides how a RESULT stands, from the messages of its thread alone.
 *
 *     #2 RESULT, #3 "confirmed" by the opener, #4 "not confirmed" by a trusted signer    confirmed
 *     #5 RESULT "Corrects: #2" by the writer of #2                                       confirmed, newer edition #5
 *     #6 "confirmed" of #5 by the opener                                                 replaced by #5
 *
 * @param view of its thread; that of the opener without it
 */
export function judge(result: Result, view: View = viewOfOpener(result.thread)): Verdict {
  const { verdicts } = view;
  const cached = verdicts.get(result);
  if (cached !== undefined) return cached;
  const undecided = new Set([result]);
  for (const { corrections } of undecided)
    for (const one of corrections) if (!verdicts.has(one)) undecided.add(one);
  // The newest first, since a chain of a thousand corrections would exceed the stack.
  for (const one of [...undecided].sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1)))
    verdicts.set(one, decide(one, view));
  return verdicts.get(result) ?? UNREVIEWED;
}

function decide(result: Result, view: View): Verdict {
  if (result.reviews.length + result.corrections.length === 0) return UNREVIEWED;
  const judgements = countedJudgements(result, view);
  const votes = votesOf(judgements, result, view);
  const byVotes = standingByVotes(votes);
  const newestEditions = newestEditionsOf(result, view);
  // An edition replaces a RESULT once it has the rank of that.
  const replacedBy = newestEditions[rankOf(byVotes)];
  const withdrawals = result.reviews.filter(
    (review) => isBefore(review.author, view) && isWithdrawal(review, result),
  );
  const reviews = result.reviews.filter((one) => isShown(one) && !isSameWriter(one.author, result.author));
  const reviewers = new Set(reviews.map(({ author }) => author.writer)).size;
  const firsts = new Map<Writer, string>();
  for (const { step, author } of result.reviews)
    if (author.writer !== null && !firsts.has(author.writer)) firsts.set(author.writer, step.id);
  const verdict = {
    byVotes,
    judgements,
    firsts,
    confirmedSince: confirmedSince(votes),
    reviewers,
    replacedBy,
    withdrawal: (withdrawals.findLast(isShown) ?? withdrawals.at(-1))?.step,
    newerEdition: rankOf(byVotes) > 0 && replacedBy === undefined ? newestEditions[0] : undefined,
    newestEditions,
  };
  if (replacedBy !== undefined) return { ...verdict, standing: 'replaced' };
  if (isTakenDown(verdict)) return { ...verdict, standing: 'withdrawn' };
  return { ...verdict, standing: byVotes ?? (reviewers > 0 ? 'reviewed' : 'unreviewed') };
}

/** What its writer withdraws is taken down, unless it holds by votes. */
const isTakenDown = ({ byVotes, withdrawal }: Pick<Verdict, 'byVotes' | 'withdrawal'>): boolean =>
  withdrawal !== undefined && rankOf(byVotes) === 0;

/** Whether readers see a message: reports do not hold it. */
export const isShown = ({ step }: Pick<AuthoredStep, 'step'>): boolean => step.isHeld !== true;

/** Whether the writer of a RESULT withdraws it by a REVIEW. */
const isWithdrawal = ({ step, author }: AuthoredStep, result: Result): boolean =>
  (step.outcome === 'withdrawn' || step.outcome === 'not confirmed') && isSameWriter(author, result.author);

/**
 * Finds the newest editions of a RESULT: at 0 of all, at 1 of those that hold at least in part, at 2 of those that
 * are confirmed in full. Editions of its editions count, too. An edition that is taken down replaces nothing.
 *
 *     #5 edition, confirmed in part; #6 edition of #5, not reviewed    [#6, #5, undefined]
 */
function newestEditionsOf({ author, corrections }: Result, view: View): Verdict['newestEditions'] {
  const newest: (Result | undefined)[] = [];
  const offer = (rank: number, edition: Result | undefined): void => {
    const before = newest[rank];
    if (edition !== undefined && (before === undefined || before.step.createdAt < edition.step.createdAt))
      newest[rank] = edition;
  };
  for (const later of corrections) {
    if (!isSameWriter(later.author, author) || !isBefore(later.author, view)) continue;
    const verdict = judge(later, view);
    verdict.newestEditions.forEach((edition, rank) => {
      offer(rank, edition);
    });
    if (isTakenDown(verdict)) continue;
    for (let rank = rankOf(verdict.byVotes); rank >= 0; rank--) offer(rank, later);
  }
  return newest;
}

/**
 * Whether a RESULT is nearly a copy of an earlier one of its thread. One of a trusted signer is no copy of one of
 * anybody else, who may come first with some lines changed.
 *
 *     #2 RESULT by a stranger, #3 by a trusted signer, with nearly the lines of #2    #3 is no copy
 *     #4 by another stranger, with the lines of #3                                    a copy of #2
 */
export function isCopy({ thread, step, author }: Result): boolean {
  const original = thread.copies?.originalOf(step.id);
  if (original === undefined) return false;
  const view = viewOfOpener(thread);
  const writer = thread.writers.withSigner(original.mark ?? '');
  return !isTrusted(view, author) || (writer !== undefined && view.trusted.has(writer));
}

/** The outcome that says the same as a standing. */
const OUTCOME_OF: Readonly<Partial<Record<Standing, Outcome>>> = {
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  refuted: 'not confirmed',
};

/** Editions back to which judgements are looked for. */
const MAX_EDITIONS = 20;

/**
 * Chooses the REVIEWs that readers see beside the standing of a RESULT. Of each outcome that differs from it there
 * is one: of a trusted signer before others, signed before others, of a distrusted signer after those, about an
 * earlier edition after those about the RESULT, then the newest. What a signer says against an earlier edition
 * stands until it judges a later one.
 *
 *     confirmed by the opener, #7 "not confirmed" by a stranger    checked: opener; others: not confirmed, #7
 */
export function summarizeReviews(result: Result, view: View = viewOfOpener(result.thread)): ReviewSummary {
  const { summaries } = view;
  const summary = summaries.get(result) ?? chooseReviews(result, view);
  summaries.set(result, summary);
  return summary;
}

function chooseReviews(result: Result, view: View): ReviewSummary {
  const { standing, judgements } = judge(result, view);
  const same = OUTCOME_OF[standing];
  const checked = [...judgements.values()]
    .filter((judgement) => judgement.outcome === same && isShown(judgement))
    .sort((a, b) => Number(b.author.writer === view.opener) - Number(a.author.writer === view.opener));
  const candidates: Dissent[] = [...judgementsOf(result), ...judgementsOfEditions(result)].filter(isShown);
  const rank = ({ author, of }: Dissent): number =>
    8 * Number(author.writer === null) +
    4 * Number(author.writer !== null && view.distrusted.has(author.writer)) +
    2 * Number(!isTrusted(view, author)) +
    Number(of !== undefined);
  const comesFirst = (one: Dissent, other: Dissent): boolean =>
    rank(one) === rank(other) ? one.step.createdAt > other.step.createdAt : rank(one) < rank(other);
  const others: Dissent[] = [];
  for (const outcome of JUDGING) {
    if (outcome === same) continue;
    const [first, ...rest] = candidates.filter((one) => one.outcome === outcome);
    if (first !== undefined)
      others.push(rest.reduce((best, one) => (comesFirst(one, best) ? one : best), first));
  }
  if (standing === 'reviewed') {
    const unclear = result.reviews.findLast(
      (one) => isShown(one) && isUnclear(one) && !isSameWriter(one.author, result.author),
    );
    if (unclear !== undefined) others.push({ ...unclear, outcome: null });
  }
  const first = checked.slice(0, MAX_SHOWN);
  const shown = new Set([...first, ...others].map(({ step }) => step));
  return {
    checked: first,
    others,
    more: candidates.some(({ of, step }) => of === undefined && !shown.has(step)),
  };
}

/** Whether a REVIEW has no outcome, or one without evidence. */
const isUnclear = ({ step: { outcome, hasEvidence } }: AuthoredStep): boolean =>
  outcome === null || (outcome !== 'withdrawn' && hasEvidence !== true);

const judgementsOf = (result: Result): Judgement[] => [...newestJudgements(result, () => true).values()];

/** What signers say against earlier editions of a RESULT, and have not judged since. */
function judgementsOfEditions(result: Result): Dissent[] {
  const isEdition = (one: Result): boolean => isSameWriter(one.author, result.author);
  const chain = new Set(result.corrected.filter(isEdition));
  for (const edition of chain)
    for (const one of edition.corrected) if (chain.size < MAX_EDITIONS && isEdition(one)) chain.add(one);
  if (chain.size === 0) return [];
  const judged = new Set<Writer>();
  const found: Dissent[] = [];
  for (const edition of [
    result,
    ...[...chain].sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1)),
  ]) {
    const judgements = judgementsOf(edition).filter(
      ({ author: { writer } }) => writer !== null && !judged.has(writer),
    );
    for (const { author } of judgements) if (author.writer !== null) judged.add(author.writer);
    if (edition === result) continue;
    for (const judgement of judgements)
      if (judgement.outcome !== 'confirmed') found.push({ ...judgement, of: edition });
  }
  return found;
}

/** How a REVIEW counts for the RESULT that it judges. */
export interface Count {
  /** The RESULT. */
  readonly for: string;
  /** `withdrawn` by the writer of the RESULT takes it down, by another one takes an earlier REVIEW back. */
  readonly as: Outcome;
  /** Whether its writer is trusted. Of others only a withdrawal of what is theirs decides anything. */
  readonly trusted: boolean;
  /** Whether it came after the opener had ended the IDEA, so that it decides nothing. */
  readonly sinceEnd?: true | undefined;
}

/** Why a REVIEW counts nothing, or, of a trusted signer after the end of the IDEA, decides nothing. */
export type Flaw =
  | 'elsewhere'
  | 'own'
  | 'outcome'
  | 'evidence'
  | 'nothing withdrawn'
  | 'not judged'
  | 'ended';

/** A REVIEW of a RESULT, in whatever thread. */
interface ReviewAnywhere {
  readonly step: Pick<Step, 'id' | 'outcome' | 'hasEvidence'>;
  readonly author: Author;
}

/** @returns why a REVIEW counts nothing for the RESULT that it judges; empty if it counts */
export function flawsOf(
  result: Result,
  { step, author }: ReviewAnywhere,
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
    const first = author.writer && judge(result, view).firsts.get(author.writer);
    if (first == null || first === id) return ['nothing withdrawn'];
  }
  const { writer } = author;
  if (writer === null || !isTrusted(view, author)) return [];
  if (isSinceEnd(view, author)) return ['ended'];
  return outcome === 'withdrawn' || judge(result, view).judgements.get(writer)?.step.id === id
    ? []
    : ['not judged'];
}

/** @param review one of `reviews` @returns null if it counts nothing */
export function countOf(
  result: Result,
  review: AuthoredStep,
  view: View = viewOfOpener(result.thread),
): Count | null {
  const { step, author } = review;
  const flaws = flawsOf(result, review, view);
  const isLate = flaws[0] === 'ended';
  if (step.outcome === null || (flaws.length > 0 && !isLate)) return null;
  return {
    for: result.step.id,
    as: isSameWriter(author, result.author) ? 'withdrawn' : step.outcome,
    trusted: isTrusted(view, author),
    ...(isLate && { sinceEnd: true as const }),
  };
}

/** @returns the message by which its writer has ended an IDEA; others name it on a line `Ends:` in vain */
export function endingOf({ author, endings }: Idea): Step | undefined {
  return endings.find((ending) => isSameWriter(ending.author, author))?.step;
}

export const isEnded = (idea: Idea): boolean => endingOf(idea) !== undefined;
