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
}

/** The lists of work by looking at each step and every other one, sentence by sentence. @param steps oldest first */
export function workByHand(steps: readonly Step[], now: number): WorkByHand {
  const nameOf = ({ name }: Step): string | undefined =>
    name?.normalize('NFKC').toLowerCase().replace(/\s+/g, '') || undefined;
  const hasSameName = (a: Step, b: Step): boolean => nameOf(a) !== undefined && nameOf(a) === nameOf(b);
  const isEarlier = (a: Step, b: Step): boolean => steps.indexOf(a) < steps.indexOf(b);
  const takes = (step: Step, other: Step): boolean =>
    step.takesUp.includes(other.id) && isEarlier(other, step);
  const of = (prefix: string): Step[] => steps.filter((step) => step.prefix === prefix);
  const isReport = ({ prefix }: Step): boolean => prefix === 'RESULT' || prefix === 'REVIEW';

  /** The WORK that a RESULT or REVIEW is about though it does not name it. */
  const meant = (report: Step): Step | undefined => {
    if (of('WORK').some((work) => hasSameName(work, report) && takes(report, work))) return undefined;
    return of('WORK').findLast(
      (work) =>
        hasSameName(work, report) &&
        work.rootId === report.rootId &&
        isEarlier(work, report) &&
        !steps.some((step) => isEarlier(step, report) && ends(step, work)),
    );
  };
  const isAbout = (report: Step, work: Step): boolean =>
    (takes(report, work) && (report.prefix === 'RESULT' || hasSameName(report, work))) ||
    meant(report) === work;
  const memory = new Map<string, boolean>();
  const ends = (step: Step, work: Step): boolean => {
    const key = `${step.id} ${work.id}`;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const found =
      (step.prefix === 'WORK' && takes(step, work) && hasSameName(step, work)) ||
      (isReport(step) && !(step.prefix === 'RESULT' && step.due !== null) && isAbout(step, work));
    memory.set(key, found);
    return found;
  };
  const dueOf = (work: Step): number => {
    const extended = of('RESULT').findLast((result) => result.due !== null && isAbout(result, work));
    return statedDue(extended ?? work) ?? Date.parse(work.createdAt) + DAY_MS;
  };

  const open = of('WORK').filter((work) => !steps.some((step) => ends(step, work)));
  const dueAt = Object.fromEntries(open.map((work) => [work.id, dueOf(work)]));
  const working = open.filter(({ id }) => dueAt[id]! > now);
  const isClosed = (idea: Step): boolean =>
    working.some((work) => takes(work, idea)) ||
    of('RESULT').some(
      (result) =>
        takes(result, idea) ||
        (result.rootId === idea.id && isEarlier(idea, result)) ||
        of('WORK').some((work) => takes(result, work) && takes(work, idea)),
    );
  const isResult = (id: string): boolean => steps.some((step) => step.id === id && step.prefix === 'RESULT');
  const reviewsOf = (result: Step): Step[] =>
    of('REVIEW').filter(
      (review) => isEarlier(result, review) && reviewedPosts(review, isResult).includes(result.id),
    );
  const corrects = (later: Step, result: Step): boolean =>
    isEarlier(result, later) && (later.parentId === result.id || later.corrects.includes(result.id));
  const lists: Record<WorkList, Step[]> = {
    ideas: of('IDEA').filter((idea) => !isClosed(idea)),
    working,
    overdue: open.filter(({ id }) => dueAt[id]! <= now && dueAt[id]! >= now - 14 * DAY_MS),
    unreviewed: of('RESULT').filter((result) => reviewsOf(result).length === 0),
    disputed: of('RESULT').filter(
      (result) =>
        reviewsOf(result).some(({ outcome }) => outcome === 'not confirmed') &&
        !of('RESULT').some((later) => takes(later, result)),
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
    },
    dueAt,
    reviews: Object.fromEntries(of('RESULT').map((result) => [result.id, ids(reviewsOf(result))])),
    laterResult: Object.fromEntries(
      of('RESULT').map((result) => [
        result.id,
        of('RESULT').findLast((later) => corrects(later, result))?.id ?? null,
      ]),
    ),
  };
}
