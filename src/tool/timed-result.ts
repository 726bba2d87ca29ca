import { CachedResult } from './cached-result.ts';
import type { MaybePromise } from './maybe-promise.ts';

type Content = Pick<CachedResult, 'input' | 'output' | 'text'>;

/**
 * Caches one result for some time, even if the store changes, because creating it costs more than a read
 * should.
 */
export class TimedResult {
  readonly #now: () => number;
  readonly #maxAgeMs: number;
  readonly #make: () => Promise<Content>;
  #cached: { readonly result: CachedResult; readonly madeAt: number } | undefined;
  #pending: Promise<CachedResult> | undefined;

  /** @param now wall-clock time in milliseconds @param make runs once at a time; a failure is not cached */
  constructor(now: () => number, maxAgeMs: number, make: () => Promise<Content>) {
    this.#now = now;
    this.#maxAgeMs = maxAgeMs;
    this.#make = make;
  }

  /** @returns the result, synchronously if it is cached */
  read(): MaybePromise<CachedResult> {
    if (this.#cached !== undefined) {
      const age = this.#now() - this.#cached.madeAt;
      // A result from the future is outdated too: the clock may have been set back.
      if (age >= 0 && age < this.#maxAgeMs) return this.#cached.result;
    }
    this.#pending ??= this.#run().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #run(): Promise<CachedResult> {
    const madeAt = this.#now();
    const result = new CachedResult(await this.#make());
    this.#cached = { result, madeAt };
    return result;
  }
}
