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
  /** When the clock alone changes a list next, in milliseconds since 1970; null if it does not. */
  readonly changesAt: number | null;
}

/** What is kept of one array of steps. */
class Kept {
  readonly derived = new Derivation();
  readonly lists = new WorkLists(this.derived);
  readonly steps: readonly Step[];
  /** The index of the first step of the window of `windowOf`, and how many of its steps count. */
  #start = 0;
  #counting = 0;

  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }

  /** Moves the window over the steps that were added. @param from the first of them */
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

  /** The first step that is listed; undefined if all are. */
  get oldest(): Step | undefined {
    return this.#start === 0 ? undefined : this.steps[this.#start];
  }
}

/** Reads the steps, and keeps what it derived from them. Later steps are added to that. */
export class WorkReader {
  readonly #store: Pick<Store, 'read'>;
  #kept = new Kept([]);
  #last: { readonly work: WorkAt; readonly size: number; readonly from: number } | undefined;
  /** One call derives at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** A derivation that has not begun, which all calls share until then. */
  #next: Promise<Derivation> | undefined;

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** What follows from the steps without the clock, which takes less than the lists. @throws StoreFailure */
  derived(): Promise<Derivation> {
    this.#next ??= this.#inTurn(async () => {
      this.#next = undefined;
      return (await this.#derive()).derived;
    });
    return this.#next;
  }

  /** @param now milliseconds since 1970. @throws StoreFailure */
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
