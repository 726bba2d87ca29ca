import type { Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';

/** A network has many agents, but no need for a stream for each post. */
export const MAX_STREAMS_PER_NETWORK = 50;
const RETRY_SECONDS = 60;

interface StreamLimits {
  /** How many streams there may be, all networks together. */
  readonly total: number;
  readonly perNetwork: number;
}

/** Bounds the open streams of notifications, of each network and of all together. */
export class StreamLimiter {
  readonly #limits: StreamLimits;
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /**
   * @returns releases the place; further calls have no effect
   * @throws WorkspaceError rate_limited
   */
  acquire({ clientKey: visitor }: Caller): () => void {
    const { total, perNetwork } = this.#limits;
    if ((this.#open.get(visitor) ?? 0) >= perNetwork) {
      throw new WorkspaceError(
        'rate_limited',
        `Your network already listens on ${perNetwork} streams; end one, or name more ` +
          'resources in one subscription.',
        { limit: 'streamsPerNetwork', retryAfterSeconds: RETRY_SECONDS },
      );
    }
    if (this.#total >= total) {
      throw new WorkspaceError('rate_limited', 'Every stream of this server is taken; try again later.', {
        limit: 'streams',
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    this.#add(visitor, 1);
    let released = false;
    return () => {
      if (!released) this.#add(visitor, -1);
      released = true;
    };
  }

  #add(visitor: string, count: number): void {
    const open = (this.#open.get(visitor) ?? 0) + count;
    if (open > 0) this.#open.set(visitor, open);
    else this.#open.delete(visitor);
    this.#total += count;
  }
}
