import { lookOf } from '#message/look.ts';
import { comparableName, type Step } from '#message/step.ts';
import type { WorkList } from '#work/work-lists.ts';
import type { Standing } from '#work/model.ts';
import { copiesByHand } from './copies-by-hand.ts';
import { partsByHand, type PartByHand } from './parts-by-hand.ts';
import { memoize, standingByHand } from './standing-by-hand.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The rank of copies, and of what is in the thread of one. */
const LAST = 999;

export interface WorkByHand {
  /** Ids, newest first. */
  readonly lists: Readonly<Record<WorkList, readonly string[]>>;
  /** By id of a WORK that has not ended. */
  readonly dueAt: Readonly<Record<string, number>>;
  /** By id of a RESULT. */
  readonly standings: Readonly<Record<string, Standing>>;
  /** By id of a RESULT or the first message of a thread. */
  readonly copyOf: Readonly<Record<string, string | undefined>>;
  /** By id of a step. */
  readonly namesakeOf: Readonly<Record<string, string | undefined>>;
  /** Whether a step may change an earlier one, by their ids. */
  readonly mayChange: (id: string, earlier: string) => boolean;
  /** By id of an IDEA. */
  readonly parts: Readonly<Record<string, readonly PartByHand[]>>;
  /** By id of an IDEA. */
  readonly freeParts: Readonly<Record<string, readonly string[]>>;
  /** By the first message of a thread: the signers whose words count in it. */
  readonly trustedIn: Readonly<Record<string, readonly string[]>>;
}

interface Options {
  /** Signers whose words count in each thread, in place of those that are trusted there. */
  readonly honest?: ReadonlySet<string> | undefined;
}

/**
 * Computes the lists of work sentence by sentence: it compares each step with every other.
 * @param all steps, oldest first
 */
export function workByHand(all: readonly Step[], now: number, { honest }: Options = {}): WorkByHand {
  const places = new Map(all.map((step, place) => [step, place]));
  const isEarlier = (a: Step, b: Step): boolean => places.get(a)! < places.get(b)!;
  /** Those that readers see. */
  const steps = all.filter(({ isHeld }) => isHeld !== true);
  const of = (prefix: string): Step[] => steps.filter((step) => step.prefix === prefix);
  /** Also those that reports hold. */
  const allWorks = all.filter(({ prefix }) => prefix === 'WORK');
  const find = (id: string | null): Step | undefined => all.find((step) => step.id === id);

  // Who wrote what.
  const signerOf = ({ mark }: Step): string | undefined => mark?.toLowerCase();
  const isSigned = ({ mark }: Step): boolean => mark !== undefined;
  const isSameWriter = (a: Step, b: Step): boolean =>
    a.rootId === b.rootId && isSigned(a) && signerOf(a) === signerOf(b);
  const looks = memoize(({ name, heldName }: Step) =>
    (heldName ?? name) === null ? null : lookOf((heldName ?? name)!),
  );

  /** Also those that reports hold. */
  const allResults = all.filter(({ prefix }) => prefix === 'RESULT');
  const isShown = ({ isHeld }: Step): boolean => isHeld !== true;

  // Who is trusted, and how RESULTs stand.
  const standings = standingByHand(all, { honest });
  const { standingOf, reviewersOf } = standings;
  const trustedIn = new Map(
    [...new Set(all.map(({ rootId }) => rootId))].map((id) => [id, new Set(standings.trustedIn(id))]),
  );
  const isMember = (step: Step): boolean =>
    isSigned(step) && trustedIn.get(step.rootId)!.has(signerOf(step)!);
  const namesakeOf = memoize((step: Step): string | undefined => {
    const alike = all.filter(
      (one) => one.rootId === step.rootId && looks(one) !== null && looks(one) === looks(step),
    );
    const isDistrusted = (one: Step): boolean =>
      standings.distrustedIn(one.rootId).includes(signerOf(one) ?? '');
    const shownBy = (one: Step): Step | undefined =>
      alike.find((other) => isShown(other) && isSameWriter(one, other));
    const holder =
      alike.find((one) => isMember(one) && shownBy(one) !== undefined) ??
      alike.find((one) => isSigned(one) && !isDistrusted(one) && shownBy(one) !== undefined);
    if (holder === undefined || isSameWriter(holder, step) || !isShown(step)) return undefined;
    return shownBy(holder)!.id;
  });

  // Copies.
  const originals = copiesByHand(all);
  /** A RESULT of a trusted signer is no copy of one of anybody else. */
  const originalOf = (id: string): string | undefined => {
    const original = originals(id);
    const [one, other] = [find(id), find(original ?? '')];
    const isOfThread = one !== undefined && other?.rootId === one.rootId;
    return isOfThread && isMember(one) && !isMember(other) ? undefined : original;
  };
  const isRankedLast = ({ id, rootId }: Step): boolean =>
    originalOf(rootId) !== undefined || originalOf(id) !== undefined;
  const isEnded = (idea: Step): boolean =>
    all.some(
      (step) => step.ends?.includes(idea.id) === true && isEarlier(idea, step) && isSameWriter(step, idea),
    );
  const isDone = (result: Step): boolean => ['confirmed', 'partlyConfirmed'].includes(standingOf(result));

  // WORKs.
  const nameOf = ({ name, heldName }: Step): string | null => comparableName(heldName ?? name);
  const takesOf = memoize((work: Step) => {
    const named = work.takes.filter((id) => {
      const other = find(id);
      if (other?.rootId !== work.rootId || !isEarlier(other, work)) return false;
      return ['RESULT', 'IDEA'].includes(other.prefix ?? '');
    });
    return named.length > 0 ? named : [work.parentId].filter((id) => id !== null);
  });
  const endsOf = new Map<Step, Step>();
  const extendedBy = new Map<Step, Step>();
  for (const step of all) {
    const isOpen = (work: Step): boolean => isEarlier(work, step) && !endsOf.has(work);
    for (const work of allWorks)
      if (isOpen(work) && step.ends?.includes(work.id) === true && isSameWriter(step, work))
        endsOf.set(work, step);
    if (step.prefix !== 'RESULT') continue;
    const isNamed = (work: Step): boolean => step.refersTo.includes(work.id);
    const hasItsName = (work: Step): boolean =>
      step.ends === null && step.due === null && nameOf(step) !== null && nameOf(work) === nameOf(step);
    for (const work of allWorks) {
      if (isSigned(step) || isSigned(work) || work.rootId !== step.rootId || !isOpen(work)) continue;
      if (isNamed(work) || hasItsName(work)) endsOf.set(work, step);
    }
    if (step.ends !== null || step.corrects.length > 0) continue;
    const own = allWorks.filter((work) => isOpen(work) && isSameWriter(step, work));
    if (own.length !== 1) continue;
    if (step.due === null) endsOf.set(own[0]!, step);
    else extendedBy.set(own[0]!, step);
  }
  const allOpen = allWorks.filter((work) => !endsOf.has(work));
  const open = allOpen.filter(isShown);
  const dueOf = (work: Step): number => {
    const { due, createdAt } = extendedBy.get(work) ?? work;
    const created = Date.parse(createdAt);
    const latest = created + (isMember(work) ? 30 * DAY_MS : DAY_MS);
    return Math.min(due === null ? created + DAY_MS : Math.max(due, created + 5 * MINUTE_MS), latest);
  };
  const dueAt = Object.fromEntries(allOpen.map((work) => [work.id, dueOf(work)]));
  const beforeDue = open.filter((work) => dueOf(work) > now);

  // Parts.
  const { describe, namesPart } = partsByHand(all, now, {
    standingOf,
    isTrusted: isMember,
    isCopy: ({ id }) => originalOf(id) !== undefined,
    takesOf,
    endedBy: (work) => endsOf.get(work),
    dueOf,
  });
  const partsOf = memoize(describe);
  const areClosed = (idea: Step): boolean =>
    partsOf(idea).length > 0 &&
    partsOf(idea).every(({ state }) => state === 'confirmed' || state === 'partlyConfirmed');
  const freePartsOf = (idea: Step): string[] => {
    const free = partsOf(idea).filter(({ state }) => state === 'refuted' || state === 'free');
    const order = (part: PartByHand): number => Number(part.announced.length > 0);
    return isEnded(idea) ? [] : free.sort((a, b) => order(a) - order(b)).map(({ name }) => name);
  };
  /** Whether nothing is left of the IDEAs that a WORK takes. */
  const isOver = (work: Step): boolean => {
    const taken = takesOf(work).map(find);
    return (
      taken.length > 0 &&
      taken.every((idea) => {
        if (idea?.prefix !== 'IDEA') return false;
        if (isEnded(idea)) return true;
        const joins = isMember(work) && !namesPart(work);
        return !joins && areClosed(idea);
      })
    );
  };
  const working = beforeDue.filter((work) => !isOver(work));
  const isOpenIdea = (idea: Step): boolean => {
    if (isEnded(idea)) return false;
    const done = allResults.filter((result) => result.rootId === idea.rootId && isDone(result));
    if (partsOf(idea).length > 0) return !areClosed(idea);
    return !done.some(
      (result) => idea.parentId === null || (isEarlier(idea, result) && result.refersTo.includes(idea.id)),
    );
  };
  const isTaken = (step: Step): boolean => {
    if (step.prefix === 'IDEA' && partsOf(step).length > 0) return freePartsOf(step).length === 0;
    const opener = all.findLast(({ rootId }) => rootId === step.rootId)?.opener;
    return working.some(
      (work) =>
        (opener === undefined || isMember(work)) && isEarlier(step, work) && takesOf(work).includes(step.id),
    );
  };

  const ids = (some: readonly Step[]): string[] => some.map(({ id }) => id).reverse();
  /** Lower ranks first, each newest first. */
  const ranked = (some: readonly Step[], rankOf: (step: Step) => number): string[] =>
    [...new Set(some.map(rankOf))]
      .sort((a, b) => a - b)
      .flatMap((rank) => ids(some.filter((step) => rankOf(step) === rank)));
  const rankOfIdea = (idea: Step): number => {
    const isAnswered =
      partsOf(idea).length === 0 &&
      all.findLast(({ rootId }) => rootId === idea.rootId)?.opener === undefined &&
      of('RESULT').some(({ rootId }) => rootId === idea.rootId);
    return isRankedLast(idea) ? LAST : Number(isTaken(idea) || isAnswered);
  };
  const rankOfResult = (result: Step): number =>
    isRankedLast(result) ? LAST : isTaken(result) ? LAST - 1 : reviewersOf(result);
  const rankOfWork = (work: Step): number => (isRankedLast(work) ? LAST : Number(!isMember(work)));
  const rankOfOther = (result: Step): number => Number(isRankedLast(result));
  /** What its writer withdraws is on no list. */
  const standing = (...wanted: Standing[]): Step[] =>
    of('RESULT').filter(
      (result) => wanted.includes(standingOf(result)) && standings.withdrawnBy(result) === undefined,
    );
  const isOffered = (step: Step): boolean =>
    !standings.hasEnded(step.rootId) && !standings.distrustedIn(step.rootId).includes(signerOf(step) ?? '');
  const byId = <Value>(some: readonly Step[], value: (step: Step) => Value): Record<string, Value> =>
    Object.fromEntries(some.map((step) => [step.id, value(step)]));
  return {
    lists: {
      ideas: ranked(of('IDEA').filter(isOpenIdea).filter(isOffered), rankOfIdea),
      working: ranked(working, rankOfWork),
      overdue: ranked(
        open.filter((work) => dueOf(work) <= now && dueOf(work) >= now - 14 * DAY_MS && !isOver(work)),
        rankOfWork,
      ),
      toReview: ranked(standing('unreviewed', 'reviewed').filter(isOffered), rankOfResult),
      partlyConfirmed: ranked(standing('partlyConfirmed'), rankOfOther),
      disputed: ranked(standing('contested', 'refuted'), rankOfOther),
      confirmed: ranked(
        of('RESULT').filter((result) => (standings.listedAt(result) ?? Infinity) <= now),
        rankOfOther,
      ),
    },
    dueAt,
    standings: byId(of('RESULT'), standingOf),
    copyOf: byId(all, ({ id }) => originalOf(id)),
    namesakeOf: byId(all, namesakeOf),
    mayChange: (id, earlier) => isSameWriter(find(id)!, find(earlier)!),
    parts: byId(of('IDEA'), partsOf),
    freeParts: byId(of('IDEA'), freePartsOf),
    trustedIn: Object.fromEntries([...trustedIn].map(([id, trusted]) => [id, [...trusted].sort()])),
  };
}
