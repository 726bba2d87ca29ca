import { MAX_STEPS, type Step } from '#message/step.ts';
import type { Store } from '#store/port/store.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { Derivation, listWork, nextChange, type DerivedWork } from './derive-work.ts';

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
  /** Of `#steps`. */
  #derived = new Derivation();
  #last: { readonly work: WorkAt; readonly size: number; readonly from: number } | undefined;

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
    const derived = this.#derive(steps);
    const last = this.#last;
    if (last?.size === derived.size && last.from <= now && now < (last.work.changesAt ?? Infinity))
      return last.work;
    const lists = listWork(derived, now, steps.at(-MAX_STEPS));
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
    this.#last = { work, size: derived.size, from: now };
    return work;
  }

  #derive(steps: readonly Step[]): Derivation {
    if (steps !== this.#steps) {
      this.#steps = steps;
      this.#derived = new Derivation();
      this.#last = undefined;
    }
    for (const step of steps.slice(this.#derived.size)) this.#derived.add(step);
    return this.#derived;
  }
}
