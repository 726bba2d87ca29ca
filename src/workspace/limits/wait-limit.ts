import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

const RETRY_SECONDS = 60;

/** Limits how many calls of one network wait at once: waits for messages, and streams of notifications. */
export class WaitLimit {
  readonly #max: number;
  /** Invariant: no number is 0. */
  readonly #waiting = new Map<string, number>();

  /** @param max 0: no limit */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Reserves a place for one wait.
   * @returns a function that releases the place; further calls have no effect
   * @throws WorkspaceError rate_limited
   */
  acquire({ clientKey }: Caller): () => void {
    if (this.#max > 0 && (this.#waiting.get(clientKey) ?? 0) >= this.#max) {
      throw new WorkspaceError(
        'rate_limited',
        `Your network already has ${this.#max} waiting calls and streams; end one, or combine several ` +
          'posts or resources in one.',
        { limit: 'waitsPerNetwork', retryAfterSeconds: RETRY_SECONDS },
      );
    }
    this.#add(clientKey, 1);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#add(clientKey, -1);
      isReleased = true;
    };
  }

  #add(clientKey: string, count: number): void {
    const waiting = (this.#waiting.get(clientKey) ?? 0) + count;
    if (waiting > 0) this.#waiting.set(clientKey, waiting);
    else this.#waiting.delete(clientKey);
  }
}
