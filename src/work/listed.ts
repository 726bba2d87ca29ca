import type { Step } from '#message/step.ts';
import type { Copies } from './copies.ts';
import type { Result, Said, Thread, View } from './thread.ts';
import { earlierView, viewOfOpener } from './trusted.ts';
import { isShown, judge } from './verdicts.ts';
import { isMember } from './votes.ts';
import { isSameWriter } from './writers.ts';

/** From the second vote that confirms a RESULT until the lists over all threads have it. */
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
 * @param view that of the opener without it
 * @returns milliseconds since 1970; undefined if it will not be listed as things stand
 */
export function listedAt(result: Result, view?: View): number | undefined {
  const { standing, confirmedSince, withdrawal } = judge(result, view);
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

/** Messages that may have taken one RESULT off the lists, which are examined. */
const MAX_EXAMINED = 50;

/**
 * Finds the messages since a time by which RESULTs of a thread have left the lists over all threads, and which
 * readers see: REVIEWs, and lines of the opener about whom it trusts. What an edition replaces has none.
 *
 *     #2 RESULT, listed; #3 "not confirmed" by the opener     #3
 *     #2 RESULT, confirmed for ten minutes; #3 the same       none
 *
 * @returns for each RESULT what it finds, so that a walk may pause between them
 */
export function* delistings(
  thread: Thread,
  since: string,
): Generator<{ readonly result: Result; readonly by: Said } | undefined> {
  const { lead, trusted, distrusted } = viewOfOpener(thread);
  if (lead === undefined) return;
  const isRecent = ({ step }: Said): boolean => step.createdAt >= since;
  const ofLead = thread.messages.filter(
    (one) => one.author.writer === lead && isRecent(one) && (one.step.trust ?? one.step.prefix === 'REVIEW'),
  );
  const isOut = ({ author: { writer } }: Said): boolean => writer !== null && distrusted.has(writer);
  const views = new Map<string, View>();
  const viewUntil = (until: string): View => {
    const view = views.get(until) ?? earlierView(thread, until);
    views.set(until, view);
    return view;
  };
  const isListed = (result: Result, { createdAt }: Step, until: string): boolean =>
    (listedAt(result, viewUntil(until)) ?? Infinity) <= Date.parse(createdAt);
  for (const result of thread.results) {
    yield undefined;
    const { standing } = judge(result);
    if (!isShown(result) || standing === 'replaced' || listedAt(result) !== undefined) continue;
    if (!result.judgements.some(({ step }) => step.outcome === 'confirmed')) continue;
    const ofOthers = result.judgements.filter(
      (one) =>
        isRecent(one) &&
        one.author.writer !== lead &&
        (isMember(trusted, one.author) || isSameWriter(one.author, result.author) || isOut(one)),
    );
    const newest = [...ofLead, ...ofOthers].sort((a, b) => (a.step.createdAt < b.step.createdAt ? 1 : -1));
    const by = newest
      .slice(0, MAX_EXAMINED)
      .find(({ step }) => isListed(result, step, step.createdAt) && !isListed(result, step, justAfter(step)));
    if (by === undefined || !isShown(by)) continue;
    if (judge(result, viewUntil(justAfter(by.step))).standing !== 'replaced') yield { result, by };
  }
}

/** A text that sorts behind the time of a step and before all later ones. */
const justAfter = ({ createdAt }: Step): string => `${createdAt}~`;
