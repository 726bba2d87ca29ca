import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { type ThreadSummary, type ResultState, stateOf } from '#work/thread-summary.ts';
import { listedAt } from '#work/listing-delay.ts';
import { partsFor, partsOf, partNames } from '#work/parts.ts';
import { isShown, type PartState, type Result, type Standing, type Work } from '#work/model.ts';
import { signatureOf } from '#work/standing-view.ts';
import { currentWorksOn } from '#work/open.ts';
import { judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
import { MAX_LISTED, type WorkUnderWay } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';

/**
 * The progress of a thread, without zeros: the states of the parts of its first message or, without parts,
 * the standings of its RESULTs. `reviewed` counts as `unreviewed`, and near-copies do not count.
 */
export interface Progress {
  readonly unit: 'part' | 'result';
  readonly counts: Readonly<Partial<Record<Standing | PartState, number>>>;
}

/**
 * Returns the progress that lists over threads show: a confirmed part or RESULT counts as waiting for a
 * review until these lists have the RESULT.
 * @param now milliseconds since 1970
 */
export function progressInLists(board: Board, rootId: string, now: number): Progress {
  const [idea, thread] = [board.ideas.get(rootId), board.thread(rootId)];
  const listed = thread?.results.filter((one) => isShown(one) && (listedAt(one) ?? Infinity) <= now) ?? [];
  const parts = idea === undefined ? [] : partsOf(idea, now);
  const isListed = (index: number): boolean =>
    listed.some((one) => partsFor(one).some((part) => part.idea === idea && part.index === index));
  const inLists = parts.map(({ state }, index) => ({
    state: state === 'confirmed' && !isListed(index) ? ('toReview' as const) : state,
  }));
  const counts: Partial<Record<ResultState, number>> = {};
  for (const result of thread?.results.filter(isShown) ?? []) {
    const state = stateInLists(result, now);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return toProgress(inLists, counts);
}

/** Lists show a confirmed RESULT as withdrawn once its writer says so. Its thread still shows the votes. */
function stateInLists(result: Result, now: number): ResultState {
  const state = stateOf(result);
  if (state !== 'confirmed' && state !== 'partlyConfirmed') return state;
  if (judge(result).withdrawal !== undefined) return 'withdrawn';
  return state === 'confirmed' && (listedAt(result) ?? Infinity) > now ? 'reviewed' : state;
}

export const progressOf = ({ ideas, counts }: ThreadSummary, rootId: string): Progress =>
  toProgress(ideas.find(({ idea }) => idea.step.id === rootId)?.parts ?? [], counts);

function toProgress(
  parts: readonly { readonly state: PartState }[],
  results: ThreadSummary['counts'],
): Progress {
  if (parts.length > 0) return { unit: 'part', counts: countParts(parts) };
  const { nearCopy: _copies, underWay: _works, reviewed = 0, unreviewed = 0, ...others } = results;
  const waiting = reviewed + unreviewed;
  return { unit: 'result', counts: { ...others, ...(waiting > 0 && { unreviewed: waiting }) } };
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
 * @returns WORKs that take a post, one by each writer: those by trusted signers first, then newest first
 */
export const listWorksOn = (
  board: Board,
  id: string,
  list: 'underWay' | 'overdue',
  now: number,
): UnderWay[] => {
  const thread = board.thread(board.authorOfStep(id)?.rootId ?? id);
  const works = thread === undefined ? [] : currentWorksOn(thread, id, list, now, MAX_LISTED);
  return works.map((work) => toUnderWay(board, work));
};
