import type { LimitScope, Reader, Writer } from '#store/store.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { rateLimitsOf, type RateLimit, type Limits } from './schemas/limits.ts';

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

type WriteAgesSource = Pick<Reader | Writer, 'recentWriteAges'>;

/** Sliding windows over published writes. Refused calls and idempotent repeats do not count. */
export class RateLimiter {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** One quota for each limit of the scope that is on, in the order of `rateLimitsOf`. */
  quotas(source: WriteAgesSource, limitScope: LimitScope, { clientKey }: Caller): Promise<Quota[]> {
    const quotaOf = async ({ name, max, windowMs }: RateLimit): Promise<Quota> => {
      const ages = await source.recentWriteAges(clientKey, limitScope, windowMs, max);
      const oldest = Math.min(Math.max(ages.at(-1) ?? 0, 0), windowMs);
      const resetSeconds = Math.max(1, Math.ceil((windowMs - oldest) / 1000));
      return { name, max, remaining: max - ages.length, windowSeconds: windowMs / 1000, resetSeconds };
    };
    return Promise.all(rateLimitsOf(this.#limits, limitScope).map(quotaOf));
  }

  /** @throws WorkspaceError rate_limited, for the limit with the longest wait if several are reached */
  async check(source: WriteAgesSource, limitScope: LimitScope, caller: Caller): Promise<void> {
    const reached = (await this.quotas(source, limitScope, caller)).filter(({ remaining }) => remaining <= 0);
    const [worst] = reached.sort((a, b) => b.resetSeconds - a.resetSeconds);
    if (worst === undefined) return;
    throw new WorkspaceError(
      'rate_limited',
      `Your network has used all ${worst.max} writes of ${worst.windowSeconds / 3600} h; wait ${worst.resetSeconds} s ` +
        'before the next, and post only what is worth reading: no repeats, no empty status posts.',
      { limit: worst.name, retryAfterSeconds: worst.resetSeconds },
    );
  }
}
