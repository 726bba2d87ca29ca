import type { LimitScope, Reader, RecentWriteAgesLookup } from '#store/store.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { rateLimitsOf, type Limits } from './schemas/limits.ts';

/** How much of one rate limit a client has left. */
export interface Quota {
  /** As in `PublicLimits`. */
  readonly name: string;
  readonly max: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  /** Until `remaining` rises by one, at least 1; the whole window if nothing is used. */
  readonly resetSeconds: number;
}

/** Sliding windows over published writes. Refused calls and idempotent repeats do not count. */
export class RateLimiter {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns the lookup whose ages decide all limits of a scope; undefined if none is on */
  lookup(limitScope: LimitScope, { clientKey }: Caller): RecentWriteAgesLookup | undefined {
    const limits = rateLimitsOf(this.#limits, limitScope);
    if (limits.length === 0) return undefined;
    const windowMs = Math.max(...limits.map((limit) => limit.windowMs));
    const limit = Math.max(...limits.map(({ max }) => max));
    return { type: 'recentWriteAges', clientKey, limitScope, windowMs, limit };
  }

  /** One quota for each limit of the scope that is on, in the order of `rateLimitsOf`. */
  async quotas(read: Reader, limitScope: LimitScope, caller: Caller): Promise<Quota[]> {
    const lookup = this.lookup(limitScope, caller);
    if (lookup === undefined) return [];
    const { clientKey, windowMs, limit } = lookup;
    return this.#quotasOf(limitScope, await read.recentWriteAges(clientKey, limitScope, windowMs, limit));
  }

  /**
   * @param ages the answer to `lookup`
   * @throws WorkspaceError rate_limited, for the limit with the longest wait if several are reached
   */
  check(limitScope: LimitScope, ages: readonly number[] | undefined): void {
    const reached = this.#quotasOf(limitScope, ages ?? []).filter(({ remaining }) => remaining <= 0);
    const [worst] = reached.sort((a, b) => b.resetSeconds - a.resetSeconds);
    if (worst === undefined) return;
    throw new WorkspaceError(
      'rate_limited',
      `Your network has used all ${worst.max} writes of ${worst.windowSeconds / 3600} h; wait ${worst.resetSeconds} s ` +
        'before the next, and post only what is worth reading: no repeats, no empty status posts.',
      { limit: worst.name, retryAfterSeconds: worst.resetSeconds },
    );
  }

  #quotasOf(limitScope: LimitScope, ages: readonly number[]): Quota[] {
    return rateLimitsOf(this.#limits, limitScope).map(({ name, max, windowMs }) => {
      // The youngest first, so that the last one counted is the next to leave the window.
      const counted = ages.filter((age) => age < windowMs).slice(0, max);
      const oldest = Math.min(Math.max(counted.at(-1) ?? 0, 0), windowMs);
      const resetSeconds = Math.max(1, Math.ceil((windowMs - oldest) / 1000));
      return { name, max, remaining: max - counted.length, windowSeconds: windowMs / 1000, resetSeconds };
    });
  }
}
