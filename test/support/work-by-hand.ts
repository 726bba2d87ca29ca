import { reviewedPosts, type Step } from '#message/step.ts';
import type { WorkList } from '#workspace/schemas/work.ts';
import { statedDue } from '#workspace/work/derive-work.ts';

const DAY_MS = 86_400_000;

export interface WorkByHand {
  /** Ids, newest first. */
  readonly lists: Readonly<Record<WorkList, readonly string[]>>;
  /** By id of a WORK that has not ended. */
  readonly dueAt: Readonly<Record<string, number>>;
  /** By id of a RESULT, newest first. */
  readonly reviews: Readonly<Record<string, readonly string[]>>;
  /** By id of a RESULT. */
  readonly laterResult: Readonly<Record<string, string | null>>;
  /** By id of a RESULT, oldest first. */
  readonly correctedBy: Readonly<Record<string, readonly string[]>>;
}

/** The lists of work by looking at each step and every other one, sentence by sentence. @param steps oldest first */
export function workByHand(steps: readonly Step[], now: number): WorkByHand {
  const names = new Map(
    steps.map((step) => [step, step.name?.normalize('NFKC').toLowerCase().replace(/\s+/g, '') || undefined]),
  );
  const nameOf = (step: Step): string | undefined => names.get(step);
  const hasSameName = (a: Step, b: Step): boolean => nameOf(a) !== undefined && nameOf(a) === nameOf(b);
  const places = new Map(steps.map((step, place) => [step, place]));
  const isEarlier = (a: Step, b: Step): boolean => places.get(a)! < places.get(b)!;
  const refersTo = (step: Step, other: Step): boolean =>
    step.refersTo.includes(other.id) && isEarlier(other, step);
  const of = (prefix: string): Step[] => steps.filter((step) => step.prefix === prefix);
  const takes = (work: Step, other: Step): boolean =>
    isEarlier(other, work) &&
    (work.parentId === other.id ||
      (work.takes.includes(other.id) && (other.prefix === 'RESULT' || other.prefix === 'IDEA')));

  /** The WORKs that an author has open in a thread before a message of its own. */
  const openBefore = (step: Step): Step[] =>
    of('WORK').filter(
      (work) =>
        hasSameName(work, step) &&
        work.rootId === step.rootId &&
        isEarlier(work, step) &&
        !steps.some((other) => isEarlier(other, step) && ends(other, work)),
    );
  /** The only WORK that a RESULT without a line `Ends:` or `Corrects:` can be about. */
  const meant = (result: Step): Step | undefined => {
    if (result.prefix !== 'RESULT' || result.ends !== null || result.corrects.length > 0) return undefined;
    if (!meantBy.has(result)) meantBy.set(result, openBefore(result));
    const open = meantBy.get(result) ?? [];
    return open.length === 1 ? open[0] : undefined;
  };
  const meantBy = new Map<Step, Step[]>();
  const memory = new Map<string, boolean>();
  const ends = (step: Step, work: Step): boolean => {
    const key = `${step.id} ${work.id}`;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const isOwn =
      isEarlier(work, step) && work.rootId === step.rootId && (nameOf(work) ?? '') === (nameOf(step) ?? '');
    const found =
      work.prefix === 'WORK' &&
      isOwn &&
      (step.ends?.includes(work.id) === true || (step.due === null && meant(step) === work));
    memory.set(key, found);
    return found;
  };
  const dueOf = (work: Step): number => {
    const extended = of('RESULT').findLast((result) => result.due !== null && meant(result) === work);
    return statedDue(extended ?? work) ?? Date.parse(work.createdAt) + DAY_MS;
  };

  const open = of('WORK').filter((work) => !steps.some((step) => ends(step, work)));
  const dueAt = Object.fromEntries(open.map((work) => [work.id, dueOf(work)]));
  const working = open.filter(({ id }) => dueAt[id]! > now);
  const firstEnds = new Map(of('WORK').map((work) => [work, steps.find((step) => ends(step, work))]));
  const isClosed = (idea: Step): boolean =>
    working.some((work) => takes(work, idea)) ||
    of('RESULT').some(
      (result) =>
        (result.rootId === idea.id && isEarlier(idea, result)) ||
        of('WORK').some((work) => firstEnds.get(work) === result && takes(work, idea)),
    );
  const isResult = (id: string): boolean => steps.some((step) => step.id === id && step.prefix === 'RESULT');
  const reviewsOf = (result: Step): Step[] =>
    of('REVIEW').filter(
      (review) => isEarlier(result, review) && reviewedPosts(review, isResult).includes(result.id),
    );
  const replaces = (later: Step, result: Step): boolean =>
    isEarlier(result, later) &&
    hasSameName(later, result) &&
    (later.parentId === result.id || later.corrects.includes(result.id));
  const corrects = (later: Step, result: Step): boolean =>
    isEarlier(result, later) && !hasSameName(later, result) && later.corrects.includes(result.id);
  const isConfirmed = (result: Step): boolean => {
    const reviews = reviewsOf(result);
    const isPraise = (review: Step): boolean =>
      review.confirmsAll && nameOf(review) !== undefined && !hasSameName(review, result);
    const isRefusal = ({ outcome }: Step): boolean =>
      outcome === 'not confirmed' || outcome === 'partly confirmed';
    const isWithdrawn = reviews.some(
      (review) => hasSameName(review, result) && review.outcome === 'withdrawn',
    );
    const hasLater = of('RESULT').some((later) => replaces(later, result) || corrects(later, result));
    return reviews.some(isPraise) && !reviews.some(isRefusal) && !isWithdrawn && !hasLater;
  };
  const confirmed = of('RESULT').filter(isConfirmed);
  const lists: Record<WorkList, Step[]> = {
    ideas: of('IDEA').filter((idea) => !isClosed(idea)),
    working,
    overdue: open.filter(({ id }) => dueAt[id]! <= now && dueAt[id]! >= now - 14 * DAY_MS),
    unreviewed: of('RESULT').filter((result) => reviewsOf(result).length === 0),
    disputed: of('RESULT').filter(
      (result) =>
        reviewsOf(result).some(({ outcome }) => outcome === 'not confirmed') &&
        !of('RESULT').some((later) => refersTo(later, result)),
    ),
    confirmed: confirmed.filter(
      (result) => !confirmed.some((later) => later.rootId === result.rootId && isEarlier(result, later)),
    ),
  };
  const ids = (some: readonly Step[]): string[] => some.map(({ id }) => id).reverse();
  return {
    lists: {
      ideas: ids(lists.ideas),
      working: ids(lists.working),
      overdue: ids(lists.overdue),
      unreviewed: ids(lists.unreviewed),
      disputed: ids(lists.disputed),
      confirmed: ids(lists.confirmed),
    },
    dueAt,
    reviews: Object.fromEntries(of('RESULT').map((result) => [result.id, ids(reviewsOf(result))])),
    laterResult: Object.fromEntries(
      of('RESULT').map((result) => [
        result.id,
        of('RESULT').findLast((later) => replaces(later, result))?.id ?? null,
      ]),
    ),
    correctedBy: Object.fromEntries(
      of('RESULT').map((result) => [
        result.id,
        of('RESULT')
          .filter((later) => corrects(later, result))
          .map(({ id }) => id),
      ]),
    ),
  };
}
