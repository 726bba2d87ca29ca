import type { Board } from '#work/board.ts';
import { countResults, type Known } from '#work/known.ts';
import { partsOf } from '#work/parts.ts';
import type { PartState, Standing } from '#work/thread.ts';

/** The number of RESULTs of each standing, without zeros and near-copies; `reviewed` ones are `unreviewed`. */
export type StandingCounts = Readonly<Partial<Record<Standing, number>>>;

/** How far a thread is: by the states of the parts of its first message, or else by the standings of its RESULTs. */
export interface Progress {
  readonly unit: 'part' | 'result';
  readonly counts: Readonly<Partial<Record<Standing | PartState, number>>>;
}

export function readProgress(board: Board, rootId: string, now: number): Progress {
  const idea = board.ideas.get(rootId);
  if (idea === undefined || idea.parts.length === 0)
    return { unit: 'result', counts: countStandings(board, rootId) };
  return { unit: 'part', counts: countParts(partsOf(idea, now)) };
}

/** @returns how many parts are in each state, without zeros */
export function countParts(parts: readonly { readonly state: PartState }[]): Progress['counts'] {
  const counts: Partial<Record<PartState, number>> = {};
  for (const { state } of parts) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

export function countStandings(board: Board, rootId: string): StandingCounts {
  const thread = board.thread(rootId);
  return thread === undefined ? {} : toStandings(countResults(thread));
}

export function toStandings(counts: Known['counts']): StandingCounts {
  const { nearCopy: _copies, underWay: _works, reviewed = 0, unreviewed = 0, ...others } = counts;
  return { ...others, ...(reviewed + unreviewed > 0 && { unreviewed: reviewed + unreviewed }) };
}
