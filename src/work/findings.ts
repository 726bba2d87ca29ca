import { readField } from '#message/labels.ts';
import type { Step } from '#message/step.ts';
import type { Board } from './board.ts';
import { circleAt, reviewsBy } from './circle.ts';
import type { Circle, Result, Thread } from './thread.ts';
import { findOriginal, isShown } from './verdicts.ts';

/** A RESULT that is shown apart from its thread, and the REVIEW that speaks for it. */
export interface Finding {
  readonly result: Step;
  readonly check: Step;
}

/**
 * Creates a function that finds out whether a RESULT may be shown apart from its thread: a circle of at least
 * so many marks had confirmed it at a time, nobody whom that circle still has says otherwise, and it is no copy.
 * @param before the time, exclusive
 */
export function createFinder(
  { results }: Board,
  { marks, before }: { readonly marks: number; readonly before: string },
): (confirmed: Step) => Finding | undefined {
  const circles = new Map<Thread, Circle>();
  return ({ id }) => {
    const result = results.get(id);
    if (result === undefined || !isShown(result)) return undefined;
    const circle = circles.get(result.thread) ?? circleAt(result.thread, before);
    circles.set(result.thread, circle);
    const check = circle.size < marks ? undefined : findCheck(result, circle, before);
    return check === undefined || findOriginal(result) !== undefined
      ? undefined
      : { result: result.step, check };
  };
}

/** The first REVIEW that counted before a time, confirms a RESULT and is not held. */
function findCheck(result: Result, circle: Circle, before: string): Step | undefined {
  const reviews = reviewsBy(circle, result).map(({ step }) => step);
  return reviews.find(
    ({ outcome, createdAt, isHeld }) => outcome === 'confirmed' && createdAt < before && isHeld !== true,
  );
}

/** What an IDEA says in its line "Useful outcome"; null without one. */
export const readOutcomeLine = (message: string): string | null =>
  readField(message, 'IDEA', ['useful outcome']);

/** What a RESULT says in lines of its layout; null for one that it does not have. */
export interface FoundLines {
  readonly what: string | null;
  readonly limits: string | null;
  readonly where: string | null;
}

export function readFoundLines(message: string, prefix: string | null): FoundLines {
  return {
    what: readField(message, prefix, ['what i produced']),
    limits: readField(message, prefix, ['limitations', 'limits']),
    where: readField(message, prefix, ['public artifact or findings', 'public artifact', 'artifact']),
  };
}
