import type { Outcome, Step } from '#message/step.ts';
import { viewpointOfOpener } from './trusted.ts';
import type {
  AuthoredStep,
  Dissent,
  Judgement,
  Result,
  ReviewSummary,
  Standing,
  Viewpoint,
} from './model.ts';
import { isShown, MAX_SHOWN } from './model.ts';
import { isAfterEnd, isTrusted, JUDGING_OUTCOMES, newestJudgements } from './votes.ts';
import { isSameWriter, type Author, type Writer } from './writers.ts';
import { judge } from './verdicts.ts';

// From a verdict to the REVIEWs that readers see beside it, and how each one counts. It changes no standing.

/** The outcome that agrees with a standing. */
const OUTCOME_OF: Readonly<Partial<Record<Standing, Outcome>>> = {
  confirmed: 'confirmed',
  partlyConfirmed: 'partly confirmed',
  refuted: 'not confirmed',
};

/** How many earlier editions are searched for judgements. */
const MAX_EDITIONS = 20;

/**
 * Chooses the REVIEWs that readers see beside the standing of a RESULT. `agreeing` has those that count
 * and say the same. `others` has one REVIEW of each other outcome, chosen in this order:
 *
 * 1. by a trusted signer, by another signer, by a distrusted one, without a key;
 * 2. of the RESULT itself, of an earlier edition that its writer has not judged again since;
 * 3. the newest.
 *
 *     #3 "confirmed" by the opener, #7 "not confirmed" by a stranger    agreeing: #3; others: #7
 */
export function summarizeReviews(
  result: Result,
  viewpoint: Viewpoint = viewpointOfOpener(result.thread),
): ReviewSummary {
  const { summaries } = viewpoint.cache;
  const summary = summaries.get(result) ?? chooseReviews(result, viewpoint);
  summaries.set(result, summary);
  return summary;
}

function chooseReviews(result: Result, viewpoint: Viewpoint): ReviewSummary {
  const { standing, judgements } = judge(result, viewpoint);
  const same = OUTCOME_OF[standing];
  const agreeing = [...judgements.values()]
    .filter((judgement) => judgement.outcome === same && isShown(judgement))
    .sort(
      (a, b) => Number(b.author.writer === viewpoint.viewer) - Number(a.author.writer === viewpoint.viewer),
    );
  const candidates: Dissent[] = [...judgementsOf(result), ...judgementsOfEditions(result)].filter(isShown);
  const rank = ({ author, edition }: Dissent): number =>
    8 * Number(author.writer === null) +
    4 * Number(author.writer !== null && viewpoint.distrusted.has(author.writer)) +
    2 * Number(!isTrusted(viewpoint, author)) +
    Number(edition !== undefined);
  const comesFirst = (one: Dissent, other: Dissent): boolean =>
    rank(one) === rank(other) ? one.step.createdAt > other.step.createdAt : rank(one) < rank(other);
  const others: Dissent[] = [];
  for (const outcome of JUDGING_OUTCOMES) {
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
  const first = agreeing.slice(0, MAX_SHOWN);
  const shown = new Set([...first, ...others].map(({ step }) => step));
  return {
    agreeing: first,
    others,
    more: candidates.some(({ edition, step }) => edition === undefined && !shown.has(step)),
  };
}

/** Whether a REVIEW has no outcome, or one without evidence. */
const isUnclear = ({ step: { outcome, hasEvidence } }: AuthoredStep): boolean =>
  outcome === null || (outcome !== 'withdrawn' && hasEvidence !== true);

const judgementsOf = (result: Result): Judgement[] => [...newestJudgements(result, () => true).values()];

/** Judgements against earlier editions of a RESULT by signers who have not judged a later edition. */
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
      if (writer !== null && !newest.has(writer)) newest.set(writer, { ...judgement, edition });
    }
  return [...newest.values()].filter(({ edition, outcome }) => edition !== result && outcome !== 'confirmed');
}

/** How a REVIEW counts for the RESULT that it judges. */
export interface ReviewEffect {
  /** The id of the RESULT. */
  readonly for: string;
  /** `withdrawn` by the writer of the RESULT takes down the RESULT; by others, their earlier REVIEW. */
  readonly as: Outcome;
  /** Whether its writer is trusted. Others can only withdraw their own messages. */
  readonly trusted: boolean;
  /** Whether it decides nothing because the opener had ended the IDEA before. */
  readonly sinceEnd?: true | undefined;
}

/** Why a REVIEW does not count. `ended`: a trusted signer wrote it after the opener had ended the IDEA. */
export type Flaw =
  | 'elsewhere'
  | 'own'
  | 'outcome'
  | 'evidence'
  | 'nothing withdrawn'
  | 'not judged'
  | 'ended';

/** A REVIEW of a RESULT, in any thread. */
interface ReviewAnywhere {
  readonly step: Pick<Step, 'id' | 'outcome' | 'hasEvidence'>;
  readonly author: Author;
}

/**
 * @returns why a REVIEW does not count for the RESULT that it judges; empty if it counts
 * @example "confirmed" without evidence: `['evidence']`; "confirmed" by the writer of the RESULT: `['own']`
 */
export function flawsOf(
  result: Result,
  { step, author }: ReviewAnywhere,
  viewpoint: Viewpoint = viewpointOfOpener(result.thread),
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
    const first = author.writer && judge(result, viewpoint).firstReviews.get(author.writer);
    if (first == null || first === id) return ['nothing withdrawn'];
  }
  const { writer } = author;
  if (writer === null || !isTrusted(viewpoint, author)) return [];
  if (isAfterEnd(viewpoint, author)) return ['ended'];
  return outcome === 'withdrawn' || judge(result, viewpoint).judgements.get(writer)?.step.id === id
    ? []
    : ['not judged'];
}

/**
 * @param review one of `reviews`
 * @returns null if it does not count
 * @example "confirmed" of #2 by the opener, with evidence: `{ for: #2, as: 'confirmed', trusted: true }`
 */
export function effectOf(
  result: Result,
  review: AuthoredStep,
  viewpoint: Viewpoint = viewpointOfOpener(result.thread),
): ReviewEffect | null {
  const { step, author } = review;
  const flaws = flawsOf(result, review, viewpoint);
  const isLate = flaws[0] === 'ended';
  if (step.outcome === null || (flaws.length > 0 && !isLate)) return null;
  return {
    for: result.step.id,
    as: isSameWriter(author, result.author) ? 'withdrawn' : step.outcome,
    trusted: isTrusted(viewpoint, author),
    ...(isLate && { sinceEnd: true as const }),
  };
}
