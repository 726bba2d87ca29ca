import type { Step } from '#message/step.ts';
import type { Copies } from './copies.ts';
import type { Result } from './thread.ts';
import { judge } from './verdicts.ts';

/** For so long two votes must have confirmed a RESULT before the lists over all threads have it. */
const LISTED_AFTER_MS = 60 * 60 * 1000;

/** RESULTs of one thread that such a list shows. */
const MAX_SHOWN = 3;

/**
 * Decides from when on the lists over all threads have a RESULT: what stands confirmed, by two votes that have
 * counted for an hour, and is not withdrawn. Its thread says at once how it stands.
 *
 *     opener confirmed at 10:00                          11:00
 *     Ann confirmed at 10:00, Bob confirmed at 10:20     11:20
 *     Ann confirmed at 10:00, or its writer withdrew it  undefined
 *
 * @returns milliseconds since 1970; undefined while nothing leads there
 */
export function listedAt(result: Result): number | undefined {
  const { standing, confirmedSince, withdrawal } = judge(result);
  return standing !== 'confirmed' || confirmedSince === undefined || withdrawal !== undefined
    ? undefined
    : Date.parse(confirmedSince) + LISTED_AFTER_MS;
}

/** The RESULTs of a thread in the lists over all threads. */
export interface ListedThread {
  readonly rootId: string;
  /** Since when its first one is confirmed by two votes, in milliseconds since 1970. */
  readonly since: number;
  /** The newest, at most three, newest first. */
  readonly shown: readonly Step[];
  /** How many there are besides. */
  readonly more: number;
}

/**
 * @param steps listed RESULTs, newest first
 * @returns their threads, the one that was listed last first, copies behind others
 */
export function groupByThread(
  steps: readonly Step[],
  { results, copies }: { readonly results: ReadonlyMap<string, Result>; readonly copies: Copies },
): ListedThread[] {
  const byThread = new Map<string, { since: number; readonly steps: Step[] }>();
  for (const step of steps) {
    const result = results.get(step.id);
    const at = Date.parse((result && judge(result).confirmedSince) ?? '');
    const group = byThread.get(step.rootId);
    if (group === undefined) byThread.set(step.rootId, { since: at, steps: [step] });
    else {
      group.since = Math.min(group.since, at);
      group.steps.push(step);
    }
  }
  return Array.from(byThread, ([rootId, { since, steps: own }]) => ({
    rootId,
    since,
    shown: own.slice(0, MAX_SHOWN),
    more: Math.max(0, own.length - MAX_SHOWN),
  })).sort((a, b) => Number(copies.isCopy(a.rootId)) - Number(copies.isCopy(b.rootId)) || b.since - a.since);
}
