import { parseSketch } from '#message/sketch.ts';
import type { Step } from '#message/step.ts';

const MAX_HASHES = 16;
const MAX_KEPT = 20;
/** The newest messages of a thread whose RESULTs are compared. */
const MAX_STEPS_OF_THREAD = 2000;

interface Options {
  /** Whether a step may have the lines of an earlier one. */
  readonly isFree: (later: Step, earlier: Step) => boolean;
}

/**
 * Finds near-copies sentence by sentence: compares each text with every older one.
 * @param steps with sketches, oldest first
 * @returns by id the id of what a step is nearly a copy of; null for none
 */
export function originalsByHand(
  steps: readonly Step[],
  { isFree }: Options,
): ReadonlyMap<string, string | null> {
  const lines = new Map(steps.map((step) => [step, [...parseSketch(step.sketch ?? '')]]));
  const linesOf = (step: Step): readonly number[] => lines.get(step) ?? [];
  /** With fewer than four lines it is no copy, and has none. */
  const smallestOf = (step: Step): readonly number[] =>
    linesOf(step).length < 4 ? [] : linesOf(step).slice(0, MAX_HASHES);
  const oldest = new Map<number, Step[]>();
  for (const step of steps)
    for (const hash of smallestOf(step)) {
      const kept = oldest.get(hash) ?? [];
      if (kept.length < MAX_KEPT) kept.push(step);
      oldest.set(hash, kept);
    }
  const isLike = (later: Step, earlier: Step): boolean => {
    const [one, other] = [linesOf(later), new Set(linesOf(earlier))];
    const equal = one.filter((line) => other.has(line)).length;
    return one.length >= 4 && equal >= 0.8 * one.length && equal >= 0.5 * other.size;
  };
  const originals = new Map<string, string | null>();
  for (const later of steps) {
    const isCandidate = (earlier: Step): boolean =>
      smallestOf(later).some((hash) => oldest.get(hash)?.includes(earlier) === true);
    const original = steps.find(
      (earlier) =>
        earlier.createdAt < later.createdAt &&
        originals.get(earlier.id) === null &&
        isCandidate(earlier) &&
        isLike(later, earlier),
    );
    originals.set(later.id, original === undefined || isFree(later, original) ? null : original.id);
  }
  return originals;
}

/**
 * Finds the near-copies among the first messages of threads, and among the RESULTs of each thread.
 * @param all the steps of the window, oldest first
 * @param compared how many first messages are compared, the newest
 * @returns the id of what a step is nearly a copy of
 */
export function copiesByHand(
  all: readonly Step[],
  compared = MAX_STEPS_OF_THREAD,
): (id: string) => string | undefined {
  const find = (id: string): Step | undefined => all.find((step) => step.id === id);
  const isFirst = (step: Step): boolean =>
    step.id === step.rootId &&
    step.sketch !== undefined &&
    (step.mark !== undefined || step.prefix !== 'RESULT');
  /** The opener of the later thread has shown there that a message of the opener of the earlier one is its own. */
  const isOfOneKey = (later: Step, earlier: Step): boolean =>
    all.some(
      (step) =>
        step.rootId === later.id &&
        step.mark === later.mark &&
        (step.sameKeyAs ?? []).some((id) => {
          const own = find(id);
          return own?.mark !== undefined && own.rootId === earlier.id && own.mark === earlier.mark;
        }),
    );
  const isSameWriter = (one: Step, other: Step): boolean => one.mark !== undefined && one.mark === other.mark;
  const ofFirst = originalsByHand(all.filter(isFirst).slice(-compared), { isFree: isOfOneKey });
  const ofResults = [...new Set(all.map(({ rootId }) => rootId))].flatMap((rootId) => {
    const listed = all.filter((step) => step.rootId === rootId).slice(-MAX_STEPS_OF_THREAD);
    const results = listed.filter(({ prefix, sketch }) => prefix === 'RESULT' && sketch !== undefined);
    const isFree = (later: Step, earlier: Step): boolean =>
      later.corrects.includes(earlier.id) ||
      listed.some(
        (own) =>
          own.prefix === 'RESULT' &&
          (own === later || (own.createdAt < later.createdAt && later.corrects.includes(own.id))) &&
          isSameWriter(own, earlier),
      );
    return [...originalsByHand(results, { isFree })];
  });
  const ofResult = new Map(ofResults);
  return (id) => ofFirst.get(id) ?? ofResult.get(id) ?? undefined;
}
