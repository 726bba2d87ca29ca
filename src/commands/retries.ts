import { CommandError } from './command.ts';
import type { TemporaryFailure } from './service-request.ts';

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export class Retries {
  readonly #firstResponseBy: number;
  readonly #logStatus: (line: string) => void;
  #hasResponded = false;
  #failures = 0;
  #lastFailure: string | undefined;

  /**
   * @param firstResponseBy time in milliseconds since 1970; without a response until then, the address counts
   *   as wrong
   */
  constructor(firstResponseBy: number, logStatus: (line: string) => void) {
    this.#firstResponseBy = firstResponseBy;
    this.#logStatus = logStatus;
  }

  /** The failure of the last call; undefined if it succeeded. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  succeed(): void {
    this.#hasResponded = true;
    this.#failures = 0;
    this.#lastFailure = undefined;
  }

  /**
   * @param now milliseconds since 1970
   * @returns the pause before the next call in milliseconds
   * @throws CommandError if nothing has ever responded
   */
  pauseAfter({ failure, hasResponded, retryAfter }: TemporaryFailure, now: number): number {
    this.#hasResponded ||= hasResponded;
    if (!this.#hasResponded && now >= this.#firstResponseBy)
      throw new CommandError(`Nothing responds at this address (${failure}).`);
    if (failure !== this.#lastFailure) this.#logStatus(`A call failed (${failure}); trying again.`);
    this.#lastFailure = failure;
    this.#failures += 1;
    return retryAfter === undefined
      ? Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS)
      : Math.max(retryAfter * 1000, FIRST_PAUSE_MS);
  }
}
