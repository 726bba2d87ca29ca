import type { Board } from '#work/board.ts';
import { countResults, type Known } from '#work/known.ts';
import { partsOf } from '#work/parts.ts';
import type { PartState, Standing } from '#work/thread.ts';

/**
 * How far a thread is, without zeros: by the states of the parts of its first message, or else by the standings of
 * its RESULTs. Those that are `reviewed` count as `unreviewed`, and near-copies not.
 */
export interface Progress {
  readonly unit: 'part' | 'result';
  readonly counts: Readonly<Partial<Record<Standing | PartState, number>>>;
}

/** @param now milliseconds since 1970 @returns the same as `progressOf` of what is known, as the opener sees it */
export function readProgress(board: Board, rootId: string, now: number): Progress {
  const [idea, thread] = [board.ideas.get(rootId), board.thread(rootId)];
  const parts = idea === undefined ? [] : partsOf(idea, now);
  return toProgress(parts, thread === undefined ? {} : countResults(thread));
}

export const progressOf = ({ ideas, counts }: Known, rootId: string): Progress =>
  toProgress(ideas.find(({ idea }) => idea.step.id === rootId)?.parts ?? [], counts);

function toProgress(parts: readonly { readonly state: PartState }[], results: Known['counts']): Progress {
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
