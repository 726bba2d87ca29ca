import type { Budget, Reader, Writer } from '#store/store.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { rateLimitsOf, type RateLimit, type Limits } from './schemas/limits.ts';

/** How much of one limit a visitor has left. */
export interface Quota {
  readonly name: string;
  readonly max: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  /** Until the next place is free; the whole window while nothing was used. */
  readonly resetSeconds: number;
}

type WriteAgesSource = Pick<Reader | Writer, 'recentWriteAges'>;

/** Sliding windows over what was published; refused and repeated calls cost nothing. */
export class RateLimiter {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  quotas(source: WriteAgesSource, budget: Budget, { clientKey: visitor }: Caller): Promise<Quota[]> {
    const quotaOf = async ({ name, max, windowMs }: RateLimit): Promise<Quota> => {
      const ages = await source.recentWriteAges(visitor, budget, windowMs, max);
      const oldest = Math.min(Math.max(ages.at(-1) ?? 0, 0), windowMs);
      const resetSeconds = Math.max(1, Math.ceil((windowMs - oldest) / 1000));
      return { name, max, remaining: max - ages.length, windowSeconds: windowMs / 1000, resetSeconds };
    };
    return Promise.all(rateLimitsOf(this.#limits, budget).map(quotaOf));
  }

  /** @throws WorkspaceError rate_limited, with the longest wait where two limits are reached */
  async check(source: WriteAgesSource, budget: Budget, caller: Caller): Promise<void> {
    const reached = (await this.quotas(source, budget, caller)).filter(({ remaining }) => remaining <= 0);
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
