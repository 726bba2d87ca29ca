import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import type { WaitLimit } from '#workspace/waiting/waiters.ts';

const RETRY_SECONDS = 60;

/** Limits the open notification streams: per network together with its waiting calls, and in total. */
export class StreamLimiter {
  readonly #perNetwork: WaitLimit;
  readonly #max: number;
  #open = 0;

  /** @param max streams of all networks together */
  constructor(perNetwork: WaitLimit, max: number) {
    this.#perNetwork = perNetwork;
    this.#max = max;
  }

  /**
   * Reserves a stream.
   * @returns a function that releases the stream; further calls have no effect
   * @throws WorkspaceError rate_limited
   */
  acquire(caller: Caller): () => void {
    if (this.#open >= this.#max) {
      throw new WorkspaceError('rate_limited', 'Every stream of this server is in use; try again later.', {
        limit: 'streams',
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    const leave = this.#perNetwork.acquire(caller);
    this.#open += 1;
    let isReleased = false;
    return () => {
      if (!isReleased) this.#open -= 1;
      isReleased = true;
      leave();
    };
  }
}
