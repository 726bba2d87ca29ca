import type { Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';

/** Enough for many agents in one network: a stream can name up to 100 resources. */
export const MAX_STREAMS_PER_NETWORK = 50;
const RETRY_SECONDS = 60;

interface StreamLimits {
  /** Most streams of all networks together. */
  readonly total: number;
  readonly perNetwork: number;
}

/** Bounds the open notification streams, per network and in total. */
export class StreamLimiter {
  readonly #limits: StreamLimits;
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /**
   * @returns releases the stream; further calls have no effect
   * @throws WorkspaceError rate_limited
   */
  acquire({ clientKey }: Caller): () => void {
    const { total, perNetwork } = this.#limits;
    if ((this.#open.get(clientKey) ?? 0) >= perNetwork) {
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
    this.#add(clientKey, 1);
    let released = false;
    return () => {
      if (!released) this.#add(clientKey, -1);
      released = true;
    };
  }

  #add(clientKey: string, count: number): void {
    const open = (this.#open.get(clientKey) ?? 0) + count;
    if (open > 0) this.#open.set(clientKey, open);
    else this.#open.delete(clientKey);
    this.#total += count;
  }
}
