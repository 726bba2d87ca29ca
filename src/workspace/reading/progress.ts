import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { countResults, type ThreadSummary } from '#work/thread-summary.ts';
import { listedAt } from '#work/listing-delay.ts';
import { partsFor, partsOf, partNames } from '#work/parts.ts';
import type { PartState, Result, Standing, Work } from '#work/model.ts';
import { signatureOf } from '#work/standing-view.ts';
import { worksOn } from '#work/open.ts';
import { isShown, judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
import { MAX_LISTED, type WorkUnderWay } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';

/**
 * How far a thread is, without zeros: by the states of the parts of its first message, or else by the standings of
 * its RESULTs. Those that are `reviewed` count as `unreviewed`, and near-copies not.
 */
export interface Progress {
  readonly unit: 'part' | 'result';
  readonly counts: Readonly<Partial<Record<Standing | PartState, number>>>;
}

/**
 * How far lists over threads say that a thread is: a part or a RESULT that is confirmed waits for a review until
 * they have its RESULT.
 * @param now milliseconds since 1970
 */
export function readProgress(board: Board, rootId: string, now: number): Progress {
  const [idea, thread] = [board.ideas.get(rootId), board.thread(rootId)];
  const listed = thread?.results.filter((one) => isShown(one) && (listedAt(one) ?? Infinity) <= now) ?? [];
  const parts = idea === undefined ? [] : partsOf(idea, now);
  const isListed = (place: number): boolean =>
    listed.some((one) => partsFor(one).some((part) => part.idea === idea && part.index === place));
  const inLists = parts.map(({ state }, place) => ({
    state: state === 'confirmed' && !isListed(place) ? ('toReview' as const) : state,
  }));
  const {
    confirmed = 0,
    reviewed = 0,
    withdrawn = 0,
    ...counts
  } = thread === undefined ? {} : countResults(thread);
  // Its thread shows one that is confirmed and that its writer has withdrawn. Lists do not, and it waits for nothing.
  const takenBack = thread?.results.filter((one) => isShown(one) && isTakenBack(one)).length ?? 0;
  const waiting = reviewed + confirmed - listed.length - takenBack;
  return toProgress(inLists, {
    ...counts,
    ...(listed.length > 0 && { confirmed: listed.length }),
    ...(waiting > 0 && { reviewed: waiting }),
    ...(withdrawn + takenBack > 0 && { withdrawn: withdrawn + takenBack }),
  });
}

function isTakenBack(result: Result): boolean {
  const { standing, withdrawal } = judge(result);
  return standing === 'confirmed' && withdrawal !== undefined;
}

export const progressOf = ({ ideas, counts }: ThreadSummary, rootId: string): Progress =>
  toProgress(ideas.find(({ idea }) => idea.step.id === rootId)?.parts ?? [], counts);

function toProgress(
  parts: readonly { readonly state: PartState }[],
  results: ThreadSummary['counts'],
): Progress {
  if (parts.length > 0) return { unit: 'part', counts: countParts(parts) };
  const { nearCopy: _copies, underWay: _works, reviewed = 0, unreviewed = 0, ...others } = results;
  const toReview = reviewed + unreviewed;
  return { unit: 'result', counts: { ...others, ...(toReview > 0 && { unreviewed: toReview }) } };
}

/** @returns how many parts are in each state, without zeros */
export function countParts(parts: readonly { readonly state: PartState }[]) {
  const counts: Partial<Record<PartState, number>> = {};
  for (const { state } of parts) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

type UnderWay = z.infer<typeof WorkUnderWay>;

export function toUnderWay(board: Board, work: Work): UnderWay {
  const { step, parts } = work;
  return {
    id: step.id,
    name: step.name,
    ...signatureOf(board, step),
    dueAt: timestampAt(statusOf(work).dueAt),
    ...(parts.length > 0 && { parts: parts.flatMap(({ idea, index }) => partNames(idea)[index] ?? []) }),
  };
}

/**
 * @param now milliseconds since 1970
 * @returns the WORKs that take a post, as `worksOn`
 */
export const readWorksOn = (
  board: Board,
  id: string,
  list: 'underWay' | 'overdue',
  now: number,
): UnderWay[] => {
  const thread = board.thread(board.authorOfStep(id)?.rootId ?? id);
  const works = thread === undefined ? [] : worksOn(thread, id, list, now, MAX_LISTED);
  return works.map((work) => toUnderWay(board, work));
};
