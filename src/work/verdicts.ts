import type { Step } from '#message/step.ts';
import { viewpointOfOpener } from './trusted.ts';
import { isShown, type Result, type Verdict, type Viewpoint } from './model.ts';
import { confirmedSince, countedJudgements, isTrusted, standingByVotes, votesOf } from './votes.ts';
import { isSameWriter, type Writer } from './writers.ts';

// From a RESULT and a viewpoint to its standing.

const UNREVIEWED: Verdict = {
  standing: 'unreviewed',
  byVotes: undefined,
  judgements: new Map(),
  firstReviews: new Map(),
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
 * Decides the standing of a RESULT from the messages of its thread alone. An edition that votes confirm to
 * the same or a higher degree (not at all, in part, in full) replaces it. Its writer can withdraw it unless
 * votes confirm it at least in part. Otherwise the votes decide.
 *
 *     #2 RESULT, #3 "confirmed" by the opener, #4 "not confirmed" by a trusted signer    confirmed
 *     #5 RESULT "Corrects: #2" by the writer of #2                                       newer edition #5
 *     #6 "confirmed" of #5 by the opener                                                 replaced by #5
 *
 * @param viewpoint of the opener by default
 */
export function judge(result: Result, viewpoint: Viewpoint = viewpointOfOpener(result.thread)): Verdict {
  const { verdicts } = viewpoint.cache;
  const cached = verdicts.get(result);
  if (cached !== undefined) return cached;
  const undecided = new Set([result]);
  for (const { corrections } of undecided)
    for (const one of corrections) if (!verdicts.has(one)) undecided.add(one);
  // The newest first: recursion through a chain of a thousand corrections would overflow the stack.
  for (const one of [...undecided].sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1)))
    verdicts.set(one, computeVerdict(one, viewpoint));
  return verdicts.get(result) ?? UNREVIEWED;
}

function computeVerdict(result: Result, viewpoint: Viewpoint): Verdict {
  if (result.reviews.length + result.corrections.length === 0) return UNREVIEWED;
  const judgements = countedJudgements(result, viewpoint);
  const votes = votesOf(judgements, result, viewpoint);
  const byVotes = standingByVotes(votes);
  const newestEditions = newestEditionsOf(result, viewpoint);
  const replacedBy = newestEditions[rankOf(byVotes)];
  const reviews = result.reviews.filter((one) => isShown(one) && !isSameWriter(one.author, result.author));
  const reviewers = new Set(reviews.map(({ author }) => author.writer)).size;
  const verdict = {
    byVotes,
    judgements,
    firstReviews: firstReviewsOf(result),
    confirmedSince: confirmedSince(votes),
    reviewers,
    replacedBy,
    withdrawal: withdrawalOf(result, viewpoint),
    newerEdition: rankOf(byVotes) > 0 && replacedBy === undefined ? newestEditions[0] : undefined,
    newestEditions,
  };
  if (replacedBy !== undefined) return { ...verdict, standing: 'replaced' };
  if (isTakenDown(verdict)) return { ...verdict, standing: 'withdrawn' };
  return { ...verdict, standing: byVotes ?? (reviewers > 0 ? 'reviewed' : 'unreviewed') };
}

/** Whether a withdrawal takes effect: votes do not confirm the RESULT, even in part. */
const isTakenDown = ({ byVotes, withdrawal }: Pick<Verdict, 'byVotes' | 'withdrawal'>): boolean =>
  withdrawal !== undefined && rankOf(byVotes) === 0;

/** @returns the newest REVIEW in which the writer of a RESULT withdraws it, if possible one that is shown */
function withdrawalOf(result: Result, viewpoint: Viewpoint): Step | undefined {
  const withdrawals = result.reviews.filter(
    ({ step: { outcome }, author }) =>
      (outcome === 'withdrawn' || outcome === 'not confirmed') &&
      isSameWriter(author, result.author) &&
      author.createdAt < viewpoint.until,
  );
  return (withdrawals.findLast(isShown) ?? withdrawals.at(-1))?.step;
}

function firstReviewsOf({ reviews }: Result): Map<Writer, string> {
  const first = new Map<Writer, string>();
  for (const { step, author } of reviews)
    if (author.writer !== null && !first.has(author.writer)) first.set(author.writer, step.id);
  return first;
}

/**
 * Finds the newest edition of a RESULT, the newest that is confirmed at least in part, and the newest that is
 * confirmed in full. An edition is a RESULT with which its writer corrects it, or an edition of such a
 * RESULT. Withdrawn editions do not count.
 *
 *     #5 edition, confirmed in part; #6 edition of #5, not reviewed    [#6, #5, undefined]
 */
function newestEditionsOf({ author, corrections }: Result, viewpoint: Viewpoint): Verdict['newestEditions'] {
  const newest: (Result | undefined)[] = [];
  const offer = (rank: number, edition: Result | undefined): void => {
    const before = newest[rank];
    if (edition !== undefined && (before === undefined || before.step.createdAt < edition.step.createdAt))
      newest[rank] = edition;
  };
  for (const later of corrections) {
    if (!isSameWriter(later.author, author) || later.author.createdAt >= viewpoint.until) continue;
    const verdict = judge(later, viewpoint);
    for (const [rank, edition] of verdict.newestEditions.entries()) offer(rank, edition);
    if (isTakenDown(verdict)) continue;
    for (let rank = rankOf(verdict.byVotes); rank >= 0; rank--) offer(rank, later);
  }
  return newest;
}

/**
 * Whether a RESULT is nearly a copy of an earlier one in its thread. A RESULT by a trusted signer is never a
 * copy of a stranger's, who may have posted its lines first.
 *
 *     #2 RESULT by a stranger, #3 by a trusted signer, with nearly the lines of #2    #3 is no copy
 *     #4 by another stranger, with the lines of #3                                    a copy of #2
 */
export function isCopy({ thread, step, author }: Result): boolean {
  const original = thread.copies?.originalOf(step.id);
  if (original === undefined) return false;
  const viewpoint = viewpointOfOpener(thread);
  const writer = thread.writers.withSigner(original.mark ?? '');
  return !isTrusted(viewpoint, author) || (writer !== undefined && viewpoint.trusted.has(writer));
}
