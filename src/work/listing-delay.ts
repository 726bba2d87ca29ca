import type { Step } from '#message/step.ts';
import type { Copies } from './copies.ts';
import { append } from './lists.ts';
import type { AuthoredStep, Delisting, Result, Thread, Viewpoint } from './model.ts';
import { isShown, MAX_SHOWN } from './model.ts';
import { earlierViewpoint, viewpointOfOpener } from './trusted.ts';
import { judge } from './verdicts.ts';
import { isSameWriter, type Writer } from './writers.ts';

/** How long two votes must have confirmed a RESULT before the lists over all threads have it. */
export const LISTED_AFTER_MS = 60 * 60 * 1000;

/**
 * Decides when a RESULT appears in the lists over all threads: once two votes have confirmed it for an hour,
 * unless it is withdrawn. Its thread shows its standing at once.
 *
 *     opener confirmed at 10:00                          11:00
 *     Ann confirmed at 10:00, Bob confirmed at 10:20     11:20
 *     Ann confirmed at 10:00, or its writer withdrew it  undefined
 *
 * @param viewpoint of the opener by default
 * @returns milliseconds since 1970; undefined if it will not be listed unless something changes
 */
export function listedAt(result: Result, viewpoint?: Viewpoint): number | undefined {
  const { standing, confirmedSince, withdrawal } = judge(result, viewpoint);
  return standing !== 'confirmed' || confirmedSince === undefined || withdrawal !== undefined
    ? undefined
    : Date.parse(confirmedSince) + LISTED_AFTER_MS;
}

/** The RESULTs of a thread in the lists over all threads. */
export interface ListedThread {
  readonly rootId: string;
  /** The time since which two votes confirm its first RESULT. No two threads have the same one. */
  readonly since: string;
  /** The newest, at most three, newest first. */
  readonly shown: readonly Step[];
  /** How many more there are. */
  readonly more: number;
}

/**
 * @param steps listed RESULTs, newest first
 * @returns their threads, the most recently listed first, copies last
 * @example #2 and #4 of one thread, #7 of another that was listed later: the thread of #7, then that of #4
 */
export function groupByThread(
  steps: readonly Step[],
  { results, copies }: { readonly results: ReadonlyMap<string, Result>; readonly copies: Copies },
): ListedThread[] {
  const byThread = new Map<string, Step[]>();
  for (const step of steps) append(byThread, step.rootId, step);
  const sinceOf = ({ id }: Step): string => {
    const result = results.get(id);
    return (result && judge(result).confirmedSince) ?? '';
  };
  return Array.from(byThread, ([rootId, listed]) => ({
    rootId,
    since: listed.map(sinceOf).sort()[0] ?? '',
    shown: listed.slice(0, MAX_SHOWN),
    more: Math.max(0, listed.length - MAX_SHOWN),
  })).sort(
    (a, b) =>
      Number(copies.isCopy(a.rootId)) - Number(copies.isCopy(b.rootId)) || (a.since < b.since ? 1 : -1),
  );
}

/** How many RESULTs of a thread are examined. Judging one in the past costs a walk through the thread. */
const MAX_DELISTED = 10;
/** How many of the newest REVIEWs of a RESULT, and of the newest messages of the opener, are examined. */
const MAX_EXAMINED = 20;

/**
 * Finds the shown messages since a time that took RESULTs of a thread off the lists over all threads:
 * REVIEWs, and lines with which the opener changes whom it trusts. It leaves out RESULTs that an edition
 * replaces. It examines at most ten RESULTs: first the opener's own and those that it has confirmed, then
 * those confirmed by signers whom it trusts or distrusts, then others, each group newest first.
 *
 *     #2 RESULT, listed; #3 "not confirmed" by the opener     #3
 *     #2 RESULT, confirmed for ten minutes; #3 the same       none
 *
 * @param since a time later than in the last call costs nothing until the next step of the thread
 * @returns the delistings, and undefined between them, where the caller may pause
 */
export function* delistings(thread: Thread, since: string): Generator<Delisting | undefined> {
  // A step that may change a standing creates a new viewpoint, even during a pause.
  const { cache } = viewpointOfOpener(thread);
  let { delisted } = cache;
  if (delisted === undefined || since < delisted.since) {
    const all: Delisting[] = [];
    for (const one of findDelistings(thread, since)) {
      if (one !== undefined) all.push(one);
      yield undefined;
    }
    delisted = cache.delisted = { since, all };
  }
  yield* delisted.all.filter(({ by }) => by.step.createdAt >= since);
}

function* findDelistings(thread: Thread, since: string): Generator<Delisting | undefined> {
  const { viewer: opener, trusted, distrusted } = viewpointOfOpener(thread);
  if (opener === undefined) return;
  const isRecent = ({ step }: AuthoredStep): boolean => step.createdAt >= since;
  const ofOpener = thread.messages
    .filter((one) => one.author.writer === opener && isRecent(one))
    .filter(({ step }) => step.trust !== undefined || step.prefix === 'REVIEW')
    .slice(-MAX_EXAMINED);
  const mayCount = ({ author }: AuthoredStep, result: Result): boolean =>
    isSameWriter(author, result.author) ||
    (author.writer !== null && (trusted.has(author.writer) || distrusted.has(author.writer)));
  const viewpoints = new Map<string, Viewpoint>();
  const viewpointUntil = (until: string): Viewpoint => {
    const viewpoint = viewpoints.get(until) ?? earlierViewpoint(thread, until);
    viewpoints.set(until, viewpoint);
    return viewpoint;
  };
  const isListed = (result: Result, { createdAt }: Step, until: string): boolean =>
    (listedAt(result, viewpointUntil(until)) ?? Infinity) <= Date.parse(createdAt);
  const isDelisted = (result: Result): boolean =>
    isShown(result) &&
    result.reviews.some(({ step }) => step.outcome === 'confirmed') &&
    listedAt(result) === undefined &&
    judge(result).standing !== 'replaced';
  const voters = new Set<Writer | null>([...trusted.keys(), ...distrusted]);
  const rankOf = ({ reviews, author: resultAuthor }: Result): number => {
    const votes = reviews.filter(
      ({ step, author }) =>
        step.outcome === 'confirmed' && voters.has(author.writer) && !isSameWriter(author, resultAuthor),
    );
    const isOfOpener = resultAuthor.writer === opener || votes.some(({ author }) => author.writer === opener);
    return votes.length === 0 ? 0 : 1 + Number(isOfOpener);
  };
  const delisted = thread.results.filter(isDelisted).map((result) => ({ result, rank: rankOf(result) }));
  for (const { result } of delisted.sort((a, b) => a.rank - b.rank).slice(-MAX_DELISTED)) {
    const reviews = result.reviews.filter((one) => isRecent(one) && mayCount(one, result));
    const newest = [...ofOpener, ...reviews.slice(-MAX_EXAMINED)].sort((a, b) =>
      a.step.createdAt < b.step.createdAt ? 1 : -1,
    );
    for (const by of newest) {
      yield undefined;
      const { step } = by;
      if (!isListed(result, step, step.createdAt) || isListed(result, step, boundAfter(step))) continue;
      const isEdition = judge(result, viewpointUntil(boundAfter(step))).standing === 'replaced';
      if (isShown(by) && !isEdition) yield { result, by };
      break;
    }
  }
}

/** @returns a bound that is after the time of a step and before all later times */
const boundAfter = ({ createdAt }: Step): string => `${createdAt}~`;
