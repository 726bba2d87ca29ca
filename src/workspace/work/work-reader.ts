import { countsAsStep, MAX_STEPS, MAX_WINDOW, type Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Store } from '#store/port/store.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { Derivation } from './derive-work.ts';
import { WorkLists } from './lists.ts';

const MAX_COUNT = 1000;

export interface WorkAt {
  readonly derived: Derivation;
  /** Oldest first. */
  readonly steps: readonly Step[];
  /** Newest first. */
  readonly lists: Readonly<Record<WorkList, readonly Step[]>>;
  /** At most 1000 each. */
  readonly counts: Readonly<Record<WorkList, number>>;
  /** The next time at which the clock alone changes a list, in milliseconds since 1970; null without one. */
  readonly changesAt: number | null;
}

/** What was derived from one array of steps. */
class Kept {
  readonly derived = new Derivation();
  readonly lists = new WorkLists(this.derived);
  readonly steps: readonly Step[];
  /** The index of the first step of the window, as `windowOf` computes it. */
  #start = 0;
  /** The number of steps of the window that `MAX_STEPS` counts. */
  #counting = 0;

  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }

  /** Moves the window after steps were added. @param from the index of the first of them */
  moveWindow(from: number): void {
    const { steps, derived } = this;
    for (const step of steps.slice(from, derived.size)) if (countsAsStep(step)) this.#counting += 1;
    while (this.#counting > MAX_STEPS || derived.size - this.#start > MAX_WINDOW) {
      const first = steps[this.#start];
      if (first !== undefined && countsAsStep(first)) this.#counting -= 1;
      this.#start += 1;
    }
    derived.isCut = derived.size >= MAX_STEPS;
  }

  /** The first step of the window; undefined while the window holds all steps. */
  get oldest(): Step | undefined {
    return this.#start === 0 ? undefined : this.steps[this.#start];
  }
}

/** Reads the steps and caches what it derives from them. It adds later steps to the cached derivation. */
export class WorkReader {
  readonly #store: Pick<Store, 'read'>;
  #kept = new Kept([]);
  #last: { readonly work: WorkAt; readonly size: number; readonly from: number } | undefined;
  /** A mutex: one call derives at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The derivation that is queued and has not begun. Calls share it. */
  #next: Promise<Derivation> | undefined;

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** Derives what does not depend on the clock, which costs less than `at`. @throws StoreFailure */
  derived(): Promise<Derivation> {
    this.#next ??= this.#inTurn(async () => {
      this.#next = undefined;
      return (await this.#derive()).derived;
    });
    return this.#next;
  }

  /** Derives the lists. @param now milliseconds since 1970. @throws StoreFailure */
  at(now: number): Promise<WorkAt> {
    return this.#inTurn(async () => {
      const { derived, steps, lists: kept, oldest } = await this.#derive();
      const last = this.#last;
      if (last?.size === derived.size && last.from <= now && now < (last.work.changesAt ?? Infinity))
        return last.work;
      await visitInSlices(kept.update(now), () => undefined);
      const lists = kept.read(oldest);
      const counts = Object.fromEntries(
        WORK_LISTS.map((list) => [list, Math.min(lists[list].length, MAX_COUNT)]),
      ) as Record<WorkList, number>;
      const changesAt = kept.changesAt === Infinity ? null : kept.changesAt;
      const work = { derived, steps, lists, counts, changesAt };
      this.#last = { work, size: derived.size, from: now };
      return work;
    });
  }

  #inTurn<Value>(read: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(read);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #derive(): Promise<Kept> {
    const steps = await this.#store.read.steps();
    if (steps !== this.#kept.steps) {
      this.#kept = new Kept(steps);
      this.#last = undefined;
    }
    const kept = this.#kept;
    const { size } = kept.derived;
    if (size === steps.length) return kept;
    await visitInSlices(kept.derived.addFrom(steps), () => undefined);
    kept.moveWindow(size);
    return kept;
  }
}
