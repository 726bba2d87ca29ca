import type { Board } from '#work/board.ts';
import { partsOf } from '#work/parts.ts';
import type { Idea, PartState, Standing } from '#work/thread.ts';
import { isShown, judge } from '#work/verdicts.ts';

/** The number of RESULTs of each standing, without zeros; those that are `reviewed` count as `unreviewed`. */
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
  return { unit: 'part', counts: countParts(idea, now) };
}

/** @returns how many parts of an IDEA are in each state, without zeros */
export function countParts(idea: Idea, now: number): Partial<Record<PartState, number>> {
  const counts: Partial<Record<PartState, number>> = {};
  for (const { state } of partsOf(idea, now)) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

export function countStandings(board: Board, rootId: string): StandingCounts {
  const counts: Partial<Record<Standing, number>> = {};
  for (const result of board.thread(rootId)?.results.filter(isShown) ?? []) {
    const { standing: exact } = judge(result);
    const standing = exact === 'reviewed' ? 'unreviewed' : exact;
    counts[standing] = (counts[standing] ?? 0) + 1;
  }
  return counts;
}
