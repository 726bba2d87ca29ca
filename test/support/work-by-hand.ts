import { lookOf } from '#message/look.ts';
import { comparableName, judgedPost, partWords, type Step } from '#message/step.ts';
import { compareSketches, parseSketch } from '#message/sketch.ts';
import type { WorkList } from '#work/board.ts';
import { statedDue } from '#work/works.ts';
import type { Standing } from '#work/thread.ts';

const DAY_MS = 86_400_000;

/** A step, or the first message of a look that is none. */
type Message = Pick<Step, 'id' | 'rootId' | 'createdAt' | 'name'> & { readonly mark?: string };

export interface WorkByHand {
  /** Ids, newest first. */
  readonly lists: Readonly<Record<WorkList, readonly string[]>>;
  /** By id of a WORK that has not ended. */
  readonly dueAt: Readonly<Record<string, number>>;
  /** By id of a RESULT. */
  readonly standings: Readonly<Record<string, Standing>>;
  /** By id of a RESULT: outcomes and ids, in turn. */
  readonly because: Readonly<Record<string, readonly string[]>>;
  /** By id of a RESULT, in the order in which they are shown. */
  readonly correctedBy: Readonly<Record<string, readonly string[]>>;
  /** By id of a RESULT or IDEA. */
  readonly resembles: Readonly<Record<string, string | undefined>>;
  /** By id of a step. */
  readonly claimed: Readonly<Record<string, boolean>>;
  readonly namesakeOf: Readonly<Record<string, string | undefined>>;
  /** Whether a step may change an earlier one, by their ids. */
  readonly mayChange: (id: string, earlier: string) => boolean;
  /** By id of an IDEA with parts. */
  readonly freeParts: Readonly<Record<string, readonly string[]>>;
}

/**
 * Computes the lists of work sentence by sentence: it compares each step with every other.
 * @param steps oldest first
 */
export function workByHand(steps: readonly Step[], now: number): WorkByHand {
  const places = new Map(steps.map((step, place) => [step, place]));
  const isEarlier = (a: Step, b: Step): boolean => places.get(a)! < places.get(b)!;
  const of = (prefix: string): Step[] => steps.filter((step) => step.prefix === prefix);
  const find = (id: string | null): Step | undefined => steps.find((step) => step.id === id);
  const memoize = <One extends Message, Value>(compute: (step: One) => Value): ((step: One) => Value) => {
    const known = new Map<One, Value>();
    return (step) => {
      if (!known.has(step)) known.set(step, compute(step));
      return known.get(step) as Value;
    };
  };

  // Who wrote what. The first messages of looks that are no steps have names and marks only.
  const firsts = new Map(
    steps.flatMap(({ first, rootId, name }) =>
      first === undefined ? [] : [[first.id, { ...first, rootId, name }]],
    ),
  );
  const messages: Message[] = [...firsts.values(), ...steps].sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : 1,
  );
  const nameOf = memoize(({ name }: Step) => comparableName(name));
  const looks = memoize(({ name }: Message) => (name === null ? null : lookOf(name)));
  const markOf = ({ mark }: Message): string | undefined => mark?.toLowerCase();
  const haveOneMark = (a: Message, b: Message): boolean =>
    a.rootId === b.rootId && markOf(a) !== undefined && markOf(a) === markOf(b);
  const isClaimed = memoize(
    (step: Message) =>
      step.mark !== undefined &&
      (!/[A-Z]/.test(step.mark) || messages.some((other) => other !== step && haveOneMark(step, other))),
  );
  const namesakeOf = memoize((step: Message): string | undefined => {
    const first = messages.find(
      (one) => one.rootId === step.rootId && looks(one) !== null && looks(one) === looks(step),
    );
    return first === undefined || !isClaimed(first) || haveOneMark(first, step) ? undefined : first.id;
  });
  const isSameWriter = (a: Step, b: Step): boolean => {
    if (a.rootId !== b.rootId) return false;
    if (isClaimed(a) && isClaimed(b)) return haveOneMark(a, b);
    return !isClaimed(a) && !isClaimed(b) && nameOf(a) !== null && nameOf(a) === nameOf(b);
  };
  const firstOf = (step: Step): Message => messages.find((one) => haveOneMark(one, step))!;
  const mayChange = (a: Step, b: Step): boolean =>
    isEarlier(b, a) &&
    a.rootId === b.rootId &&
    (isSameWriter(a, b) ||
      (isClaimed(a) &&
        namesakeOf(a) === undefined &&
        !isClaimed(b) &&
        nameOf(a) !== null &&
        nameOf(a) === nameOf(b) &&
        firstOf(a).createdAt < b.createdAt));

  // WORKs.
  const takesOf = memoize((work: Step) => {
    const named = work.takes.filter((id) => {
      const other = find(id);
      return other !== undefined && isEarlier(other, work) && ['RESULT', 'IDEA'].includes(other.prefix ?? '');
    });
    return named.length > 0 ? named : [work.parentId].filter((id) => id !== null);
  });
  const endsOf = new Map<Step, Step>();
  const extendedBy = new Map<Step, Step>();
  for (const step of steps) {
    const isOpen = (work: Step): boolean => isEarlier(work, step) && !endsOf.has(work);
    for (const work of of('WORK'))
      if (isOpen(work) && step.ends?.includes(work.id) === true && mayChange(step, work))
        endsOf.set(work, step);
    if (step.prefix !== 'RESULT' || step.ends !== null || step.corrects.length > 0) continue;
    const own = of('WORK').filter((work) => isOpen(work) && isSameWriter(step, work));
    const others = of('WORK').filter((work) => isOpen(work) && mayChange(step, work));
    const meant = own.length > 0 ? own : others;
    if (meant.length !== 1) continue;
    if (step.due === null) endsOf.set(meant[0]!, step);
    else extendedBy.set(meant[0]!, step);
  }
  const open = of('WORK').filter((work) => !endsOf.has(work));
  const dueOf = (work: Step): number =>
    statedDue(extendedBy.get(work) ?? work) ?? Date.parse(work.createdAt) + DAY_MS;
  const dueAt = Object.fromEntries(open.map((work) => [work.id, dueOf(work)]));
  const working = open.filter((work) => dueOf(work) > now);

  // RESULTs.
  const reviewsOf = memoize((result: Step) =>
    of('REVIEW').filter((review) => {
      const isResult = (id: string): boolean => find(id)?.prefix === 'RESULT' && isEarlier(find(id)!, review);
      return review.rootId === result.rootId && judgedPost(review, isResult) === result.id;
    }),
  );
  const correctionsOf = memoize((result: Step) =>
    of('RESULT').filter(
      (later) =>
        isEarlier(result, later) && later.rootId === result.rootId && later.corrects.includes(result.id),
    ),
  );
  const withdrawalsOf = (result: Step): Step[] =>
    reviewsOf(result).filter(
      (review) => ['withdrawn', 'not confirmed'].includes(review.outcome ?? '') && mayChange(review, result),
    );
  const replacementsOf = (result: Step): Step[] =>
    correctionsOf(result).filter((later) => mayChange(later, result) && withdrawalsOf(later).length === 0);
  const countingOf = (result: Step): Step[] => {
    const counting = reviewsOf(result).filter((review) => {
      const isSigned = isClaimed(review) || nameOf(review) !== null;
      const isVoid =
        review.outcome === 'confirmed'
          ? isSameWriter(review, result) || (nameOf(review) !== null && nameOf(review) === nameOf(result))
          : isClaimed(review) && isClaimed(result) && haveOneMark(review, result);
      const hasGround = review.hasEvidence === true || review.outcome === 'withdrawn';
      return isSigned && !isVoid && hasGround && review.outcome !== null;
    });
    const isNewest = (review: Step): boolean =>
      !isClaimed(review) || counting.findLast((one) => haveOneMark(one, review)) === review;
    return counting.filter((review) => isNewest(review) && review.outcome !== 'withdrawn');
  };
  const outcomeOf = ({ outcome, confirmsAll }: Step): string =>
    outcome === 'confirmed' && !confirmsAll ? 'partly confirmed' : outcome!;
  const standingOf = memoize((result: Step): Standing => {
    if (replacementsOf(result).length > 0) return 'replaced';
    if (withdrawalsOf(result).length > 0) return 'withdrawn';
    const outcomes = countingOf(result).map(outcomeOf);
    if (outcomes.length === 0) return 'unreviewed';
    if (outcomes.every((outcome) => outcome === 'confirmed')) return 'confirmed';
    if (outcomes.every((outcome) => outcome === 'not confirmed')) return 'notConfirmed';
    return outcomes.includes('not confirmed') ? 'contested' : 'partly';
  });
  const becauseOf = (result: Step): string[] => {
    const standing = standingOf(result);
    if (standing === 'replaced') return replacementsOf(result).map(({ id }) => `replaced ${id}`);
    if (standing === 'withdrawn')
      return withdrawalsOf(result).map((review) => `${outcomeOf(review)} ${review.id}`);
    const counting = countingOf(result);
    const ordered = [...counting.filter(isClaimed), ...counting.filter((review) => !isClaimed(review))];
    const lists = ['not confirmed', 'partly confirmed', 'confirmed'].map((outcome) =>
      ordered.filter((review) => outcomeOf(review) === outcome).map(({ id }) => `${outcome} ${id}`),
    );
    return ordered.flatMap((_, turn) => lists.flatMap((list) => list[turn] ?? []));
  };

  // Copies.
  const overlapOf = (later: Step, earlier: Step): number => {
    if (later.sketch === undefined || earlier.sketch === undefined) return 0;
    const overlap = compareSketches(parseSketch(later.sketch), parseSketch(earlier.sketch));
    return overlap === null ? 0 : overlap.equal / overlap.of;
  };
  const likeOf = memoize((result: Step) =>
    of('RESULT').filter(
      (earlier) =>
        isEarlier(earlier, result) && earlier.rootId === result.rootId && overlapOf(result, earlier) > 0,
    ),
  );
  const originalsOf = memoize((result: Step) => {
    const improves = (earlier: Step): boolean =>
      mayChange(result, earlier) || result.corrects.includes(earlier.id);
    return likeOf(result).filter((earlier) => !improves(earlier) && !likeOf(earlier).some(improves));
  });
  const twinsOf = memoize((idea: Step) =>
    of('IDEA').filter(
      (earlier) =>
        isEarlier(earlier, idea) &&
        idea.sketch !== undefined &&
        idea.sketch === earlier.sketch &&
        Date.parse(idea.createdAt) - Date.parse(earlier.createdAt) <= 7 * DAY_MS &&
        !mayChange(idea, earlier) &&
        !isEnded(earlier),
    ),
  );
  const isEnded = (idea: Step): boolean =>
    steps.some((step) => step.ends?.includes(idea.id) === true && mayChange(step, idea));
  const originalOf = memoize((step: Step): string | undefined => {
    if (step.prefix === 'IDEA') return twinsOf(step)[0]?.id;
    const standing = originalsOf(step).filter(
      (one) =>
        !['replaced', 'withdrawn', 'notConfirmed'].includes(standingOf(one)) && originalsOf(one).length === 0,
    );
    const most = Math.max(...standing.map((one) => overlapOf(step, one)));
    return standing.find((one) => overlapOf(step, one) === most)?.id;
  });
  const isDone = (result: Step): boolean =>
    ['confirmed', 'partly', 'unreviewed'].includes(standingOf(result)) && originalOf(result) === undefined;

  // Parts.
  const partsOf = memoize((step: Step): string[] => {
    const about = step.prefix === 'WORK' ? takesOf(step) : [];
    const ideas = [...about, step.parentId, step.rootId]
      .flatMap((id) => find(id) ?? [])
      .filter((one) => one.prefix === 'IDEA' && isEarlier(one, step) && one.parts !== undefined);
    const [idea] = ideas;
    return (step.part ?? []).flatMap((named) => {
      const parts = idea?.parts ?? [];
      const equal = parts.find((part) => partWords(part) === partWords(named));
      const begun = parts.filter((part) => partWords(part).startsWith(`${partWords(named)} `));
      const part = equal ?? (begun.length === 1 ? begun[0] : undefined);
      return part === undefined ? [] : [`${idea!.id} ${part}`];
    });
  });
  const freePartsOf = (idea: Step): string[] =>
    (idea.parts ?? []).filter((part) => {
      const takesPart = (step: Step): boolean => partsOf(step).includes(`${idea.id} ${part}`);
      const isKept = working.some((work) => takesPart(work) && Date.parse(work.createdAt) + DAY_MS > now);
      return !isKept && !of('RESULT').some((result) => takesPart(result) && isDone(result));
    });
  const isOpenIdea = (idea: Step): boolean => {
    if (isEnded(idea)) return false;
    if (idea.parts !== undefined) return freePartsOf(idea).length > 0;
    if (working.some((work) => isEarlier(idea, work) && takesOf(work).includes(idea.id))) return false;
    return !of('RESULT').some(
      (result) =>
        isDone(result) &&
        (idea.parentId === null
          ? result.rootId === idea.rootId
          : isEarlier(idea, result) && result.refersTo.includes(idea.id)),
    );
  };

  const ids = (some: readonly Step[]): string[] => some.map(({ id }) => id).reverse();
  const copiesLast = (some: readonly Step[]): string[] => [
    ...ids(some.filter((step) => originalOf(step) === undefined)),
    ...ids(some.filter((step) => originalOf(step) !== undefined)),
  ];
  const standing = (...standings: Standing[]): Step[] =>
    of('RESULT').filter((result) => standings.includes(standingOf(result)));
  const byId = <Value>(some: readonly Step[], value: (step: Step) => Value): Record<string, Value> =>
    Object.fromEntries(some.map((step) => [step.id, value(step)]));
  return {
    lists: {
      ideas: copiesLast(of('IDEA').filter(isOpenIdea)),
      working: ids(working),
      overdue: ids(open.filter((work) => dueOf(work) <= now && dueOf(work) >= now - 14 * DAY_MS)),
      unreviewed: copiesLast(standing('unreviewed')),
      partly: ids(standing('partly')),
      disputed: ids(standing('contested', 'notConfirmed')),
      confirmed: ids(standing('confirmed')),
    },
    dueAt,
    standings: byId(of('RESULT'), standingOf),
    because: byId(of('RESULT'), becauseOf),
    correctedBy: byId(of('RESULT'), (result) => {
      const shown = correctionsOf(result).filter(
        (later) =>
          !mayChange(later, result) &&
          !['notConfirmed', 'withdrawn'].includes(standingOf(later)) &&
          overlapOf(later, result) === 0,
      );
      const [good, others] = [true, false].map((is) =>
        shown.filter((later) => (standingOf(later) === 'confirmed') === is).reverse(),
      );
      return [...good!, ...others!].map(({ id }) => id);
    }),
    resembles: byId([...of('RESULT'), ...of('IDEA')], originalOf),
    claimed: byId(steps, isClaimed),
    namesakeOf: byId(steps, namesakeOf),
    mayChange: (id, earlier) => mayChange(find(id)!, find(earlier)!),
    freeParts: byId(
      of('IDEA').filter(({ parts }) => parts !== undefined),
      freePartsOf,
    ),
  };
}
