import { MAX_STEPS, type Step } from '#message/step.ts';
import type { Store } from '#store/port/store.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { deriveWork, listWork, nextChange, type Derivation, type DerivedWork } from './derive-work.ts';

const MAX_COUNT = 1000;

export interface WorkAt extends DerivedWork {
  /** Oldest first. */
  readonly steps: readonly Step[];
  /** Newest first. */
  readonly lists: Readonly<Record<WorkList, readonly Step[]>>;
  /** At most 1000 each. */
  readonly counts: Readonly<Record<WorkList, number>>;
  /** When the clock alone changes a list next, in milliseconds since 1970; null if it does not. */
  readonly changesAt: number | null;
}

/** Reads the steps, and keeps what it derived from them. Later steps are added to that. */
export class WorkReader {
  readonly #store: Pick<Store, 'read'>;
  #steps: readonly Step[] = [];
  #derived = deriveWork([]);
  #last: { readonly work: WorkAt; readonly steps: readonly Step[]; readonly from: number } | undefined;

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** What follows from the steps without the clock, which takes less than the lists. @throws StoreFailure */
  async derived(): Promise<DerivedWork> {
    return this.#derive(await this.#store.read.steps());
  }

  /** @param now milliseconds since 1970. @throws StoreFailure */
  async at(now: number): Promise<WorkAt> {
    const steps = await this.#store.read.steps();
    const last = this.#last;
    if (last?.steps === steps && last.from <= now && now < (last.work.changesAt ?? Infinity))
      return last.work;
    const derived = this.#derive(steps);
    const lists = listWork(derived, now, steps[0]);
    const counts = Object.fromEntries(
      WORK_LISTS.map((list) => [list, Math.min(lists[list].length, MAX_COUNT)]),
    );
    const { ideas, works, results, worksOn, worksIn } = derived;
    const work: WorkAt = {
      ...{ ideas, works, results, worksOn, worksIn, steps, lists },
      openOf: (step) => derived.openOf(step),
      counts: counts as Record<WorkList, number>,
      changesAt: nextChange(derived, now),
    };
    this.#last = { work, steps, from: now };
    return work;
  }

  #derive(steps: readonly Step[]): Derivation {
    if (steps === this.#steps) return this.#derived;
    const known = countContinued(this.#steps, steps);
    // Steps that are no longer among the newest stay derived until they are as many.
    if (known === undefined || this.#derived.size > 2 * MAX_STEPS) this.#derived = deriveWork(steps);
    else for (const step of steps.slice(known)) this.#derived.add(step);
    this.#steps = steps;
    return this.#derived;
  }
}

/**
 * @returns the number of earlier steps with which the later ones begin; undefined unless they continue the
 *   earlier
 */
function countContinued(earlier: readonly Step[], later: readonly Step[]): number | undefined {
  const [first] = later;
  const skipped = first === undefined ? 0 : earlier.indexOf(first);
  if (skipped < 0) return earlier.length === 0 ? 0 : undefined;
  const known = earlier.length - skipped;
  for (let index = 0; index < known; index++) if (earlier[skipped + index] !== later[index]) return undefined;
  return known;
}
