import type { Overlap } from '#message/sketch.ts';
import type { Outcome, Step } from '#message/step.ts';
import type { Idea, Original, Reason, Result, Said, Standing, Verdict } from './thread.ts';
import { isUnderWay, keepsParts } from './works.ts';
import { isClaimed, isSameWriter, mayChange } from './writers.ts';

const MAX_REASONS = 5;

const UNREVIEWED: Verdict = {
  standing: 'unreviewed',
  reasons: [],
  more: false,
  reviewed: { confirmed: 0, partly: 0, not: 0 },
  counted: new Set(),
};

/** @returns the standing of a RESULT, from the messages of its thread alone */
export function judge(result: Result): Verdict {
  if (result.verdict === undefined) {
    result.thread.isDecided = true;
    result.verdict = decide(result);
  }
  return result.verdict;
}

function decide(result: Result): Verdict {
  if (result.judgements.length + result.corrections.length === 0) return UNREVIEWED;
  const [not, partly, confirmed]: [Reason[], Reason[], Reason[]] = [[], [], []];
  const lists = { 'not confirmed': not, 'partly confirmed': partly, confirmed };
  const reviews = countedReviews(result);
  for (const { step } of reviews) {
    const outcome = outcomeOf(step);
    if (outcome !== null && outcome !== 'withdrawn') lists[outcome].push({ step, outcome });
  }
  const reviewed = { confirmed: confirmed.length, partly: partly.length, not: not.length };
  const replacing = result.corrections.filter(
    (later) => mayChange(later.author, result.author) && withdrawalsOf(later).length === 0,
  );
  const withdrawals = withdrawalsOf(result);
  let [standing, reasons]: [Standing, Reason[]] = [standingOf(reviewed), inTurn(not, partly, confirmed)];
  if (replacing.length > 0) {
    standing = 'replaced';
    reasons = replacing.map(({ step }) => ({ step, outcome: 'replaced' }));
  } else if (withdrawals.length > 0) {
    standing = 'withdrawn';
    reasons = withdrawals.map(({ step }) => ({ step, outcome: outcomeOf(step) ?? 'withdrawn' }));
  }
  return {
    standing,
    reasons: reasons.slice(0, MAX_REASONS),
    more: reasons.length > MAX_REASONS,
    reviewed,
    counted: new Set([...reviews, ...withdrawals].map(({ step }) => step.id)),
  };
}

/** @returns the first of each list, the second of each, and so on: as many as show that there are more */
function inTurn(...lists: readonly (readonly Reason[])[]): Reason[] {
  const found: Reason[] = [];
  const length = Math.max(...lists.map((list) => list.length));
  for (let turn = 0; turn < length && found.length <= MAX_REASONS; turn++)
    found.push(...lists.flatMap((list) => list[turn] ?? []));
  return found;
}

/** The REVIEWs that withdraw a RESULT: they may change it, and reject it. */
function withdrawalsOf({ author, judgements }: Result): Said[] {
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
function countedReviews(result: Result): Said[] {
  const unclaimed: Said[] = [];
  const newest = new Map<unknown, Said>();
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

/** Whether a REVIEW is its author's own: a confirmation by name or mark, any other outcome by mark. */
function isVoid({ step, author }: Said, { author: owner }: Result): boolean {
  const isOwn = isSameWriter(author, owner);
  if (step.outcome !== 'confirmed') return isOwn && isClaimed(author);
  return isOwn || (author.comparable !== null && author.comparable === owner.comparable);
}

function standingOf({ confirmed, partly, not }: Verdict['reviewed']): Standing {
  if (not > 0) return confirmed + partly > 0 ? 'contested' : 'notConfirmed';
  if (partly > 0) return 'partly';
  return confirmed > 0 ? 'confirmed' : 'unreviewed';
}

/** @returns the outcome of a REVIEW; a confirmation with further words counts as partly confirmed */
export function outcomeOf({ outcome, confirmsAll }: Pick<Step, 'outcome' | 'confirmsAll'>): Outcome | null {
  return outcome === 'confirmed' && !confirmsAll ? 'partly confirmed' : outcome;
}

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

/**
 * The earlier message of another writer that has most lines of a RESULT or the first line of an IDEA, and how
 * many lines are equal.
 */
export interface Resemblance extends Overlap {
  readonly id: string;
}

/**
 * @returns the earlier RESULT that shares the largest part of the lines; only a RESULT of another writer that
 *   is not rejected, replaced, withdrawn or a copy itself
 */
export function findOriginal(result: Result): Resemblance | undefined {
  if (result.originals.length === 0) return undefined;
  if (result.original === undefined) {
    result.thread.isDecided = true;
    result.original = isLikeOthers(result) ? mostEqual(result) : null;
  }
  const { original } = result;
  return original === null
    ? undefined
    : { id: original.result.step.id, equal: original.equal, of: original.of };
}

function mostEqual(result: Result): Original | null {
  let found: Original | null = null;
  for (const one of result.originals) {
    const isMore = found === null || one.equal * found.of > found.equal * one.of;
    if (isMore && !isLikeOthers(one.result) && stands(one.result) && isByAnother(result, one)) found = one;
  }
  return found;
}

/** Whether a RESULT has most lines of an earlier one by another writer, whatever the standing of that is. */
function isLikeOthers(result: Result): boolean {
  if (result.isLikeOthers === undefined) {
    result.thread.isDecided = true;
    result.isLikeOthers = result.originals.some((one) => isByAnother(result, one));
  }
  return result.isLikeOthers;
}

/** Whether a RESULT neither improves an original of it nor an original of that. */
function isByAnother(result: Result, { result: original }: Original): boolean {
  if (original.isGone || improves(result, original)) return false;
  return !original.originals.some((one) => improves(result, one.result));
}

/** Whether a RESULT may change or corrects an earlier one. */
function improves({ author, step }: Result, earlier: Result): boolean {
  return mayChange(author, earlier.author) || step.corrects.includes(earlier.step.id);
}

const FALLEN: readonly Standing[] = ['replaced', 'withdrawn', 'notConfirmed'];

const stands = (result: Result): boolean => !FALLEN.includes(judge(result).standing);

/**
 * @returns the oldest IDEA of the seven days before with the same first line, by another writer and not ended
 */
export function findTwin({ author, twins }: Idea): Resemblance | undefined {
  const twin = twins.find((one) => !one.isGone && !mayChange(author, one.author) && !isEnded(one));
  return twin && { id: twin.step.id, equal: 1, of: 1 };
}

/** Whether a message of its thread has ended an IDEA. Others may name it on a line `Ends:` without effect. */
function isEnded({ author, endings }: Idea): boolean {
  return endings.some((ending) => mayChange(ending, author));
}

/**
 * Whether an IDEA is open. One with parts is open while a part is free. One without parts is open if no WORK
 * under way takes it and its thread has no RESULT that is done; if it is a reply, only RESULTs that reply to
 * it or name it count.
 * @param now milliseconds since 1970
 */
export function isOpen(idea: Idea, now: number): boolean {
  if (isEnded(idea)) return false;
  if (idea.parts.length > 0) return freeParts(idea, now).length > 0;
  if (idea.works.some((work) => isUnderWay(work, now))) return false;
  const results = idea.step.parentId === null ? idea.thread.results : idea.results;
  return !results.some(isDone);
}

/** @returns the names of the parts of an IDEA that no WORK keeps and no RESULT has done */
export function freeParts({ parts }: Idea, now: number): string[] {
  const isFree = ({ works, results }: Idea['parts'][number]): boolean =>
    !works.some((work) => keepsParts(work, now)) && !results.some(isDone);
  return parts.filter(isFree).map(({ name }) => name);
}

/** Whether a RESULT counts as done work: no REVIEW rejects it, and it is no copy. */
function isDone(result: Result): boolean {
  if (result.isGone) return false;
  const { standing } = judge(result);
  const isGood = standing === 'confirmed' || standing === 'partly' || standing === 'unreviewed';
  return isGood && findOriginal(result) === undefined;
}
