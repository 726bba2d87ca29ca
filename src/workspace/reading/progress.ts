import type { Board } from '#work/board.ts';
import { countResults, type Known } from '#work/known.ts';
import { partsOf } from '#work/parts.ts';
import type { PartState, Standing } from '#work/thread.ts';

/** The number of RESULTs of each standing, without zeros; those that are `reviewed` count as `unreviewed`, near-copies not. */
export type StandingCounts = Readonly<Partial<Record<Standing, number>>>;

/** How far a thread is: by the states of the parts of its first message, or else by the standings of its RESULTs. */
export interface Progress {
  readonly unit: 'part' | 'result';
  readonly counts: Readonly<Partial<Record<Standing | PartState, number>>>;
}

export function readProgress(board: Board, rootId: string, now: number): Progress {
  const idea = board.ideas.get(rootId);
  const parts = idea === undefined ? [] : partsOf(idea, now);
  return toProgress(parts, countStandings(board, rootId));
}

/** @param parts of the first message */
export function toProgress(
  parts: readonly { readonly state: PartState }[],
  results: StandingCounts,
): Progress {
  return parts.length === 0
    ? { unit: 'result', counts: results }
    : { unit: 'part', counts: countStates(parts) };
}

/** @returns how many parts are in each state, without zeros */
export function countStates(
  parts: readonly { readonly state: PartState }[],
): Partial<Record<PartState, number>> {
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
