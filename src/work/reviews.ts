import type { Outcome, Step } from '#message/step.ts';
import { MAX_SHOWN } from './lists.ts';
import { viewOfOpener } from './trusted.ts';
import type { Dissent, ReviewSummary, Result, AuthoredStep, Standing, View, Judgement } from './thread.ts';
import { isSinceEnd, isTrusted, JUDGING, newestJudgements } from './votes.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';
import { judge, isShown } from './verdicts.ts';

/** The outcome that says the same as a standing. */
const OUTCOME_OF: Readonly<Partial<Record<Standing, Outcome>>> = {
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  refuted: 'not confirmed',
};

/** Editions back to which judgements are looked for. */
const MAX_EDITIONS = 20;

/**
 * Chooses the REVIEWs that readers see beside the standing of a RESULT: the first of each outcome that differs
 * from it. Those of trusted signers come first, then those of other signers, those of distrusted ones, and those
 * without a key. Among these the ones about the RESULT come before those about an earlier edition, and the newest
 * before older ones. What a signer says against an earlier edition stands until it judges a later one.
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
  const newestFirst = [...chain].sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1));
  const newest = new Map<Writer, Dissent>();
  for (const edition of [result, ...newestFirst])
    for (const judgement of judgementsOf(edition)) {
      const { writer } = judgement.author;
      if (writer !== null && !newest.has(writer)) newest.set(writer, { ...judgement, of: edition });
    }
  return [...newest.values()].filter(({ of, outcome }) => of !== result && outcome !== 'confirmed');
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

/**
 * @returns why a REVIEW counts nothing for the RESULT that it judges; empty if it counts
 * @example "confirmed" without evidence: `['evidence']`; "confirmed" of the own RESULT: `['own']`
 */
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

/**
 * @param review one of `reviews`
 * @returns null if it counts nothing
 * @example "confirmed" of #2 by the opener, with evidence: `{ for: #2, as: 'confirmed', trusted: true }`
 */
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
