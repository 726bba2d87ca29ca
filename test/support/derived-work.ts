import type { Step } from '#message/step.ts';
import type { WorkList } from '#workspace/schemas/work.ts';
import { Derivation } from '#workspace/work/derive-work.ts';
import { WorkLists } from '#workspace/work/lists.ts';

/** Derives what follows from steps at once. @param steps oldest first */
export function deriveWork(steps: readonly Step[]): Derivation {
  const derivation = new Derivation();
  finish(derivation.addFrom(steps));
  return derivation;
}

/** @returns the lists of work at a time, newest first, from a derivation that nothing was listed of yet */
export function listWork(work: Derivation, now: number): Readonly<Record<WorkList, readonly Step[]>> {
  const lists = new WorkLists(work);
  finish(lists.update(now));
  return lists.read();
}

/** Runs work that is done in pieces, without a pause. */
export function finish(pieces: Generator<void, void>): void {
  while (pieces.next().done !== true);
}
