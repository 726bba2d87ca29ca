import type { Board } from '#work/board.ts';
import { countResults, type Known } from '#work/known.ts';
import { listedAt } from '#work/listed.ts';
import { partsFor, partsOf } from '#work/parts.ts';
import type { PartState, Standing } from '#work/thread.ts';
import { isShown } from '#work/verdicts.ts';

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
  const { confirmed = 0, reviewed = 0, ...counts } = thread === undefined ? {} : countResults(thread);
  const waiting = reviewed + confirmed - listed.length;
  return toProgress(inLists, {
    ...counts,
    ...(listed.length > 0 && { confirmed: listed.length }),
    ...(waiting > 0 && { reviewed: waiting }),
  });
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
