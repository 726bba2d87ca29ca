/** How far the estimate may be off before a transaction looks up again. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** Estimates the wall-clock time of the database between two of its answers, by a monotonic clock. */
export class DatabaseClock {
  /** Replaces the wall-clock time of the database, in milliseconds since 1970; undefined: it counts. */
  readonly override: () => number | undefined;
  #offset: number;

  /** @param now milliseconds since 1970, as the database has just returned */
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
