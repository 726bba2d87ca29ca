import type { Step } from '#message/step.ts';
import { viewOfOpener } from './trusted.ts';
import type { Idea, Result, AuthoredStep, Verdict, View } from './thread.ts';
import {
  confirmedSince,
  isSinceEnd,
  isTrusted,
  newestJudgements,
  standingByVotes,
  votesOf,
} from './votes.ts';
import { isSameWriter, type Writer } from './writers.ts';

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
  const judgements = newestJudgements(
    result,
    ({ author }) => isTrusted(view, author) && author.createdAt < view.until && !isSinceEnd(view, author),
  );
  const votes = votesOf(judgements, result, view);
  const byVotes = standingByVotes(votes);
  const newestEditions = newestEditionsOf(result, view);
  // An edition replaces a RESULT once it has the rank of that.
  const replacedBy = newestEditions[rankOf(byVotes)];
  const withdrawals = result.reviews.filter(
    (review) => review.step.createdAt < view.until && isWithdrawal(review, result),
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

/**
 * Whether readers see a message: reports do not hold it.
 * @example a RESULT that reports hold still has a standing, but is not shown
 */
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
    if (!isSameWriter(later.author, author) || later.step.createdAt >= view.until) continue;
    const verdict = judge(later, view);
    for (const [rank, edition] of verdict.newestEditions.entries()) offer(rank, edition);
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

/**
 * @returns the message by which its writer has ended an IDEA; others name it on a line `Ends:` in vain
 * @example #1 IDEA by Ann; #2 "Ends: #1" by Bob; #3 "Ends: #1" by Ann: #3 ends it
 */
export function endingOf({ author, endings }: Idea): Step | undefined {
  return endings.find((ending) => isSameWriter(ending.author, author))?.step;
}

/**
 * Whether the writer of an IDEA has ended it.
 * @example #1 IDEA by Ann; #2 "Ends: #1" by Bob: #1 is open still
 */
export const isEnded = (idea: Idea): boolean => endingOf(idea) !== undefined;
