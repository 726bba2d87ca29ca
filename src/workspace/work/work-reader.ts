import { countsAsStep, MAX_STEPS, windowOf, type Step } from '#message/step.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { Store } from '#store/port/store.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { Derivation } from './derive-work.ts';
import { listWork, nextChange, type WorkLists } from './lists.ts';
import { judge } from './standing.ts';

const MAX_COUNT = 1000;

export interface WorkAt {
  readonly derived: Derivation;
  /** Oldest first. */
  readonly steps: readonly Step[];
  /** Newest first. */
  readonly lists: WorkLists;
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
  /** The first step of the window, while there are older ones. */
  #oldest: Step | undefined;
  #last: { readonly work: WorkAt; readonly size: number; readonly from: number } | undefined;
  /** One call derives at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** What follows from the steps without the clock, which takes less than the lists. @throws StoreFailure */
  derived(): Promise<Derivation> {
    const turn = this.#turn.then(() => this.#derive());
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** @param now milliseconds since 1970. @throws StoreFailure */
  async at(now: number): Promise<WorkAt> {
    const derived = await this.derived();
    const last = this.#last;
    if (last?.size === derived.size && last.from <= now && now < (last.work.changesAt ?? Infinity))
      return last.work;
    const lists = listWork(derived, now, this.#oldest);
    const counts = Object.fromEntries(
      WORK_LISTS.map((list) => [list, Math.min(lists[list].length, MAX_COUNT)]),
    ) as Record<WorkList, number>;
    const work = { derived, steps: this.#steps, lists, counts, changesAt: nextChange(derived, now) };
    this.#last = { work, size: derived.size, from: now };
    return work;
  }

  async #derive(): Promise<Derivation> {
    const steps = await this.#store.read.steps();
    if (steps !== this.#steps) {
      this.#steps = steps;
      this.#derived = new Derivation();
      this.#last = undefined;
    }
    const derived = this.#derived;
    if (derived.size === steps.length) return derived;
    let isSliceOver = startSlice();
    for (let step = steps[derived.size]; step !== undefined; step = steps[derived.size]) {
      derived.add(step);
      const result = derived.results.get(step.id);
      // Otherwise the first list would judge them all at once.
      if (result !== undefined) judge(result);
      if (!isSliceOver()) continue;
      await nextSlice();
      isSliceOver = startSlice();
    }
    this.#oldest = steps.length > MAX_STEPS ? windowOf(steps, countsAsStep)[0] : undefined;
    derived.isCut = steps.length >= MAX_STEPS;
    return derived;
  }
}
