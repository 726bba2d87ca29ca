import { CachedResult } from './cached-result.ts';
import type { MaybePromise } from './maybe-promise.ts';

type Content = Pick<CachedResult, 'input' | 'output' | 'text'>;

/** Holds one result for some time, whatever changes in the store: for what costs more than a read should. */
export class TimedResult {
  readonly #now: () => number;
  readonly #maxAgeMs: number;
  readonly #make: () => Promise<Content>;
  #held: { readonly result: CachedResult; readonly madeAt: number } | undefined;
  #pending: Promise<CachedResult> | undefined;

  /** @param now wall-clock time in milliseconds @param make runs once at a time; a failure is not held */
  constructor(now: () => number, maxAgeMs: number, make: () => Promise<Content>) {
    this.#now = now;
    this.#maxAgeMs = maxAgeMs;
    this.#make = make;
  }

  /** @returns the result, synchronously if it is held */
  read(): MaybePromise<CachedResult> {
    if (this.#held !== undefined) {
      const age = this.#now() - this.#held.madeAt;
      // A clock that was set back makes a result outdated too.
      if (age >= 0 && age < this.#maxAgeMs) return this.#held.result;
    }
    this.#pending ??= this.#run().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #run(): Promise<CachedResult> {
    const madeAt = this.#now();
    const result = new CachedResult(await this.#make());
    this.#held = { result, madeAt };
    return result;
  }
}
