/** If the estimate is off by more than this, a transaction repeats its lookups. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** Estimates the wall-clock time of the database between two responses, with a monotonic clock. */
export class DatabaseClock {
  /** Replaces the wall-clock time of the database, in milliseconds since 1970, unless undefined. */
  readonly override: () => number | undefined;
  #offset: number;

  /** @param now milliseconds since 1970, just received from the database */
  constructor(now: number, override: () => number | undefined) {
    this.#offset = now - performance.now();
    this.override = override;
  }

  set(now: number): void {
    this.#offset = now - performance.now();
  }

  now(): number {
    return this.override() ?? this.#offset + performance.now();
  }
}
