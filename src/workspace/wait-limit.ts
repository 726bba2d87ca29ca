import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';

const RETRY_SECONDS = 60;

/** Bounds the calls of one network that are waiting: waits for messages and streams of notices. */
export class WaitLimit {
  readonly #max: number;
  /** Invariant: no number is 0. */
  readonly #waiting = new Map<string, number>();

  /** @param max 0: no limit */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * @returns gives the place back; further calls have no effect
   * @throws WorkspaceError rate_limited
   */
  acquire({ clientKey }: Caller): () => void {
    if (this.#max > 0 && (this.#waiting.get(clientKey) ?? 0) >= this.#max) {
      throw new WorkspaceError(
        'rate_limited',
        `Your network already waits in ${this.#max} calls and streams; end one, or name more posts or resources in one.`,
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
