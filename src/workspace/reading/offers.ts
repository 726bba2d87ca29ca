import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { isAnnounced, isAnswered, isTaken } from '#work/open.ts';
import { type Result } from '#work/model.ts';
import { countFirst, insertTop } from '#work/sorted-lists.ts';
import { judge } from '#work/verdicts.ts';
import type { WorkAt } from './work-reader.ts';

/**
 * Whether an IDEA or RESULT is offered after others: others are working on all that is open of it, or it has a
 * result.
 */
export function isShared({ board }: WorkAt, step: Step, now: number): boolean {
  const idea = board.ideas.get(step.id);
  if (idea !== undefined) return isTaken(idea, now) || isAnswered(idea);
  const result = board.results.get(step.id);
  return result !== undefined && isAnnounced(result, now);
}

/** Whether others have reviewed a RESULT. What reports hold counts on, and has no reviewer that readers see. */
function isTouched(result: Result): boolean {
  const { reviewers, byVotes } = judge(result);
  return reviewers > 0 || byVotes !== undefined;
}

/**
 * @returns how many steps a list of IDEAs, or of RESULTs to review, begins with that no one is working on or has
 *   reviewed
 */
export function countUntouched(work: WorkAt, list: readonly Step[], now: number): number {
  const { board } = work;
  return countFirst(list, (step) => {
    const result = board.results.get(step.id);
    if (board.isRankedLast(step) || (result !== undefined && isTouched(result))) return false;
    return !isShared(work, step, now);
  });
}

/**
 * Chooses what an overview shows of a list of IDEAs, or of RESULTs to review. Of those that no one is working on or has
 * reviewed, each thread has one before any has two, and IDEAs within the thread of another IDEA come last.
 */
export async function chooseOffers(
  work: WorkAt,
  list: readonly Step[],
  now: number,
  max: number,
  isWanted: (step: Step) => boolean = () => true,
): Promise<Step[]> {
  const untouched = countUntouched(work, list, now);
  const threads = new Set<string>();
  const chosen: { readonly step: Step; readonly rank: number }[] = [];
  await visitInSlices(list.entries(), ([index, step]) => {
    if (chosen[max - 1]?.rank === 0 || !isWanted(step)) return;
    const { rootId, parentId } = step;
    const isBelow = parentId !== null && step.prefix === 'IDEA' && work.board.ideas.has(rootId);
    const rank = index < untouched ? Number(isBelow || threads.has(rootId)) : 2;
    if (rank === 0) threads.add(rootId);
    insertTop(chosen, { step, rank }, max, (one, other) => one.rank < other.rank);
  });
  return chosen.map(({ step }) => step);
}
