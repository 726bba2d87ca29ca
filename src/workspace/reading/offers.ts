import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import { isAnnounced, isAnswered, isTaken } from '#work/open.ts';
import { type Result } from '#work/model.ts';
import { countFirst, insertTop } from '#work/lists.ts';
import { judge } from '#work/verdicts.ts';
import type { WorkOverview } from './board-reader.ts';

/** Whether an IDEA or RESULT is offered late: others work on all that is open, or the IDEA has a result. */
export function isShared({ board }: WorkOverview, step: Step, now: number): boolean {
  const idea = board.ideas.get(step.id);
  if (idea !== undefined) return isTaken(idea, now) || isAnswered(idea);
  const result = board.results.get(step.id);
  return result !== undefined && isAnnounced(result, now);
}

/** Whether a RESULT has a review. A held REVIEW still votes, but does not count as a reviewer. */
function hasReviews(result: Result): boolean {
  const { reviewers, byVotes } = judge(result);
  return reviewers > 0 || byVotes !== undefined;
}

/**
 * @param list of IDEAs, or of RESULTs to review
 * @returns how many steps at its beginning no one is working on or has reviewed
 */
export function countUntouched(overview: WorkOverview, list: readonly Step[], now: number): number {
  const { board } = overview;
  return countFirst(list, (step) => {
    const result = board.results.get(step.id);
    if (board.isRankedLast(step) || (result !== undefined && hasReviews(result))) return false;
    return !isShared(overview, step, now);
  });
}

/**
 * Chooses from a list of IDEAs, or of RESULTs to review, for an overview. Steps that no one is working on or
 * has reviewed come first: one from each thread, then the others, including IDEAs in the thread of another
 * IDEA.
 */
export async function chooseOffers(
  overview: WorkOverview,
  list: readonly Step[],
  now: number,
  max: number,
  isWanted: (step: Step) => boolean = () => true,
): Promise<Step[]> {
  const untouched = countUntouched(overview, list, now);
  const threads = new Set<string>();
  const chosen: { readonly step: Step; readonly rank: number }[] = [];
  await visitInSlices(list.entries(), ([index, step]) => {
    if (chosen[max - 1]?.rank === 0 || !isWanted(step)) return;
    const { rootId, parentId } = step;
    const isBelow = parentId !== null && step.prefix === 'IDEA' && overview.board.ideas.has(rootId);
    const rank = index < untouched ? Number(isBelow || threads.has(rootId)) : 2;
    if (rank === 0) threads.add(rootId);
    insertTop(chosen, { step, rank }, max, (one, other) => one.rank < other.rank);
  });
  return chosen.map(({ step }) => step);
}
