import type { RecentWriteAgesLookup } from '#store/port/lookups.ts';
import type { LimitScope } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { rateLimits, type Limits, type RateLimit } from '#workspace/schemas/limits.ts';

export interface Quota extends Pick<RateLimit, 'name' | 'max' | 'counted' | 'setting'> {
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

  /** The lookup whose answer decides all limits of a scope. @returns undefined if every limit is off */
  lookup(limitScope: LimitScope, { clientKey }: Caller): RecentWriteAgesLookup | undefined {
    const limits = rateLimits(this.#limits, limitScope);
    if (limits.length === 0) return undefined;
    const windowMs = Math.max(...limits.map((limit) => limit.windowMs));
    const limit = Math.max(...limits.map(({ max }) => max));
    return { type: 'recentWriteAges', by: { clientKey, limitScope }, windowMs, limit };
  }

  /** Reads one quota for each limit of the scope that is on, in the order of `rateLimits`. */
  async quotas(read: Reader, limitScope: LimitScope, caller: Caller): Promise<Quota[]> {
    const lookup = this.lookup(limitScope, caller);
    if (lookup === undefined) return [];
    const { windowMs, limit } = lookup;
    const ages = await read.recentWriteAges(caller.clientKey, limitScope, windowMs, limit);
    return this.#toQuotas(limitScope, ages);
  }

  /**
   * @param ages of the client's writes, youngest first
   * @returns the quota with the least left, and of equal ones the one with the longest wait; undefined if
   *   every limit is off
   */
  tightest(limitScope: LimitScope, ages: readonly number[]): Quota | undefined {
    return this.#toQuotas(limitScope, ages).sort(
      (a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds,
    )[0];
  }

  /**
   * @param ages the answer to `lookup`
   * @throws WorkspaceError rate_limited, for the limit with the longest wait if several are reached
   */
  check(limitScope: LimitScope, { clientKey }: Caller, ages: readonly number[] = []): void {
    const worst = this.tightest(limitScope, ages);
    if (worst === undefined || worst.remaining > 0) return;
    const { name, max, counted, setting, resetSeconds } = worst;
    const [whose, operator] =
      clientKey === LOOPBACK_CLIENT
        ? ['All agents on this machine share', ` The operator can raise ${setting}.`]
        : ['Everybody at your network address shares', ''];
    throw new WorkspaceError(
      'rate_limited',
      `${whose} ${max} ${counted}, and all are used.${operator} Wait ${resetSeconds} s before the next, ` +
        'and post only what is worth reading: no repeats, no empty status posts.',
      { limit: name, retryAfterSeconds: resetSeconds },
    );
  }

  #toQuotas(limitScope: LimitScope, ages: readonly number[]): Quota[] {
    return rateLimits(this.#limits, limitScope).map(({ name, max, windowMs, setting, counted }) => {
      // The youngest first, so that the last one counted is the next to leave the window.
      const recent = ages.filter((age) => age < windowMs).slice(0, max);
      const oldest = Math.min(Math.max(recent.at(-1) ?? 0, 0), windowMs);
      const resetSeconds = Math.max(1, Math.ceil((windowMs - oldest) / 1000));
      const remaining = max - recent.length;
      return { name, max, setting, counted, remaining, windowSeconds: windowMs / 1000, resetSeconds };
    });
  }
}
