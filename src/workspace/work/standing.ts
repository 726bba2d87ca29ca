import type { Outcome, Step } from '#message/step.ts';
import { isClaimed, isSameWriter, mayChange } from './authors.ts';
import type { Judgement, Reason, Result, Standing, Verdict } from './work-model.ts';

const MAX_REASONS = 5;

/** @returns the standing of a RESULT, from the messages of its thread alone */
export function judge(result: Result): Verdict {
  result.verdict ??= decide(result);
  return result.verdict;
}

function decide(result: Result): Verdict {
  const reviews = countedReviews(result).map(({ step }) => toReason(step));
  const [not, partly, confirmed] = TURNS.map((outcome) =>
    reviews.filter((reason) => reason.outcome === outcome),
  ) as [Reason[], Reason[], Reason[]];
  const reviewed = { confirmed: confirmed.length, partly: partly.length, not: not.length };
  const verdict = (standing: Standing, reasons: readonly Reason[]): Verdict => ({
    standing,
    reasons: reasons.slice(0, MAX_REASONS),
    more: reasons.length > MAX_REASONS,
    reviewed,
  });
  const replacing = result.corrections.filter(
    (later) => mayChange(later.author, result.author) && withdrawalsOf(later).length === 0,
  );
  if (replacing.length > 0)
    return verdict(
      'replaced',
      replacing.map(({ step }) => ({ step, outcome: 'replaced' })),
    );
  const withdrawals = withdrawalsOf(result);
  if (withdrawals.length > 0)
    return verdict(
      'withdrawn',
      withdrawals.map(({ step }) => toReason(step)),
    );
  const inTurn = Array.from({ length: MAX_REASONS + 1 }, (_, turn) =>
    [not, partly, confirmed].flatMap((list) => list[turn] ?? []),
  ).flat();
  return verdict(standingOf(reviewed), inTurn);
}

/** The REVIEWs that withdraw a RESULT: they may change it, and reject it. */
function withdrawalsOf({ author, judgements }: Result): Judgement[] {
  return judgements.filter(
    ({ step, author: reviewer }) =>
      (step.outcome === 'withdrawn' || step.outcome === 'not confirmed') && mayChange(reviewer, author),
  );
}

/**
 * The REVIEWs of a RESULT that count: with a name or a claimed mark, an outcome and evidence. Of each claimed
 * writer the newest counts; none does if that one withdraws the earlier ones. Claimed ones come first, then
 * the oldest.
 */
function countedReviews(result: Result): Judgement[] {
  const unclaimed: Judgement[] = [];
  const newest = new Map<unknown, Judgement>();
  for (const judgement of result.judgements) {
    const { step, author } = judgement;
    const isTakenBack = step.outcome === 'withdrawn';
    if (step.outcome === null || (!isTakenBack && step.hasEvidence !== true) || isVoid(judgement, result))
      continue;
    if (isClaimed(author)) {
      // The newest ones are in the order of time.
      newest.delete(author.writer);
      newest.set(author.writer, judgement);
    } else if (author.comparable !== null && !isTakenBack) unclaimed.push(judgement);
  }
  const claimed = [...newest.values()].filter(({ step }) => step.outcome !== 'withdrawn');
  return [...claimed, ...unclaimed];
}

/** The ids of the REVIEWs of a RESULT that count or withdraw it. */
export function countedIds(result: Result): ReadonlySet<string> {
  return new Set([...countedReviews(result), ...withdrawalsOf(result)].map(({ step }) => step.id));
}

/** Whether a REVIEW is its author's own: a confirmation by name or mark, any other outcome by mark. */
function isVoid({ step, author }: Judgement, { author: owner }: Result): boolean {
  const isOwn = isSameWriter(author, owner);
  if (step.outcome !== 'confirmed') return isOwn && isClaimed(author);
  return isOwn || (author.comparable !== null && author.comparable === owner.comparable);
}

function standingOf({ confirmed, partly, not }: Verdict['reviewed']): Standing {
  if (not > 0) return confirmed + partly > 0 ? 'contested' : 'notConfirmed';
  if (partly > 0) return 'partly';
  return confirmed > 0 ? 'confirmed' : 'unreviewed';
}

const toReason = (step: Step): Reason => ({ step, outcome: outcomeOf(step) ?? 'withdrawn' });

/** @returns the outcome of a REVIEW; a confirmation with further words counts as partly confirmed */
export function outcomeOf({ outcome, confirmsAll }: Pick<Step, 'outcome' | 'confirmsAll'>): Outcome | null {
  return outcome === 'confirmed' && !confirmsAll ? 'partly confirmed' : outcome;
}

const TURNS: readonly Outcome[] = ['not confirmed', 'partly confirmed', 'confirmed'];

/** @returns the RESULTs of others that correct one, confirmed ones first, then the newest */
export function correctionsOf(result: Result): { readonly step: Step; readonly standing: Standing }[] {
  const others = result.corrections
    .filter(
      ({ author, originals }) =>
        !mayChange(author, result.author) && !originals.some((one) => one.result === result),
    )
    .map((later) => ({ step: later.step, standing: judge(later).standing }))
    .filter(({ standing }) => standing !== 'notConfirmed' && standing !== 'withdrawn')
    .reverse();
  const isConfirmed = ({ standing }: { standing: Standing }): number => Number(standing === 'confirmed');
  return others.sort((a, b) => isConfirmed(b) - isConfirmed(a));
}
