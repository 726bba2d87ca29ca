import type { Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';

/** A network has many agents, but no need for a stream for each post. */
const MOST_PER_NETWORK = 50;
const RETRY_SECONDS = 60;

/** How many streams of notices each network holds open. */
export class Streams {
  readonly #open = new Map<string, number>();

  /** @throws WorkspaceError rate_limited where the network has too many already */
  begin({ visitor }: Caller): void {
    const open = this.#open.get(visitor) ?? 0;
    if (open >= MOST_PER_NETWORK) {
      throw new WorkspaceError(
        'rate_limited',
        `Your network already listens on ${MOST_PER_NETWORK} streams; end one, or name more ` +
          'resources in one subscription.',
        { limit: 'streamsPerNetwork', retryAfterSeconds: RETRY_SECONDS },
      );
    }
    this.#open.set(visitor, open + 1);
  }

  end({ visitor }: Caller): void {
    const open = this.#open.get(visitor) ?? 0;
    if (open > 1) this.#open.set(visitor, open - 1);
    else this.#open.delete(visitor);
  }
}
