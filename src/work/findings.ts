import { readField } from '#message/labels.ts';
import type { Step } from '#message/step.ts';
import type { Board } from './board.ts';
import { trustedAt, reviewsBy } from './trusted.ts';
import type { Result, Thread, Trusted } from './thread.ts';
import { isShown } from './verdicts.ts';

/** A RESULT that is shown apart from its thread, and the REVIEW that speaks for it. */
export interface Finding {
  readonly result: Step;
  readonly check: Step;
}

/**
 * Creates a function that finds out whether a RESULT may be shown apart from its thread: it was confirmed at a
 * time, where at least so many were trusted; no trusted signer says otherwise since, and it is no copy and in the thread of none.
 * @param before the time, exclusive
 */
export function createFinder(
  board: Board,
  { signers, before }: { readonly signers: number; readonly before: string },
): (confirmed: Step) => Finding | undefined {
  const trustedIn = new Map<Thread, Trusted>();
  return ({ id }) => {
    const result = board.results.get(id);
    if (result === undefined || !isShown(result) || board.comesLast(result.step)) return undefined;
    const trusted = trustedIn.get(result.thread) ?? trustedAt(result.thread, before);
    trustedIn.set(result.thread, trusted);
    const check = trusted.size < signers ? undefined : findCheck(result, trusted, before);
    return check === undefined ? undefined : { result: result.step, check };
  };
}

/** The first REVIEW that counted before a time, confirms a RESULT and is not held. */
function findCheck(result: Result, trusted: Trusted, before: string): Step | undefined {
  const reviews = reviewsBy(trusted, result).map(({ step }) => step);
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
