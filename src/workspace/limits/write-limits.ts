import type { RecentWriteAgesLookup } from '#store/port/lookups.ts';
import type { LimitScope } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { LOOPBACK_CLIENT, type Caller, type Quota } from '#workspace/service/caller.ts';
import { toRetrySeconds, WorkspaceError } from '#workspace/service/errors.ts';
import { rateLimits, type Limits } from '#workspace/schemas/limits.ts';
import { MINUTE_MS } from '#workspace/text/time.ts';
import { widenNetwork } from '#store/port/network.ts';

/** Limits the writes of one client by sliding windows. Refused calls and idempotent repeats do not count. */
export class WriteRateLimit {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns the lookup for all limits of a scope; undefined if every limit is off */
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
    return this.quotasAfter(limitScope, ages);
  }

  /**
   * @param ages of the client's writes, youngest first
   * @returns one quota for each limit of the scope that is on, in the order of `rateLimits`
   */
  quotasAfter(limitScope: LimitScope, ages: readonly number[]): Quota[] {
    return rateLimits(this.#limits, limitScope).map((limit) => {
      const { max, windowMs } = limit;
      // The last one counted is the oldest, which leaves the window next.
      const recent = ages.filter((age) => age < windowMs).slice(0, max);
      const oldest = Math.min(Math.max(recent.at(-1) ?? 0, 0), windowMs);
      const resetSeconds = toRetrySeconds(windowMs - oldest);
      return { ...limit, remaining: max - recent.length, resetSeconds };
    });
  }

  /**
   * @param ages the answer to `lookup`
   * @throws WorkspaceError rate_limited, for the limit with the longest wait if several are reached
   */
  check(limitScope: LimitScope, { clientKey }: Caller, ages: readonly number[] = []): void {
    const worst = tightestOf(this.quotasAfter(limitScope, ages));
    if (worst === undefined || worst.remaining > 0) return;
    const { name, max, counted, setting, resetSeconds } = worst;
    const [sharers, operator] =
      clientKey === LOOPBACK_CLIENT
        ? ['all agents on this machine', ` The operator can raise ${setting}.`]
        : ['everyone on your network', ''];
    throw new WorkspaceError(
      'rate_limited',
      `The limit on ${counted} (${max}), shared by ${sharers}, has been reached.${operator} Wait ${resetSeconds} s ` +
        'before the next one, and post only what is worth reading: no repeats, no empty status posts.',
      { limit: name, retryAfterSeconds: resetSeconds },
    );
  }
}

/** @returns the quota with the fewest writes left, and among equals the longest wait; undefined for none */
export function tightestOf(quotas: readonly Quota[]): Quota | undefined {
  return quotas.toSorted((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)[0];
}

/** A network, widened or not, that has not written for this time is a newcomer. */
const NEWCOMER_MS = 10 * MINUTE_MS;

/** The public name of the limit that WRITES_PER_MINUTE_TOTAL sets. */
const LIMIT = 'everybodyPerMinute';

/** Lookups about all networks, the caller, and its widened network; none while the limit is off. */
type TotalWriteLookups = Partial<
  Record<'allNetworks' | 'ownFeed' | 'ownPorch' | 'ofNetwork', RecentWriteAgesLookup | undefined>
>;

type TotalWriteFacts = Partial<Record<keyof TotalWriteLookups, readonly number[] | undefined>>;

/**
 * Limits the writes of all networks together to a number per minute. Beyond that number only newcomers may
 * write, up to the same number again: networks that have not written for ten minutes. One /24 or /48 can use
 * a quarter of the newcomers' places, and the last quarter is reserved for a /24 or /48 that has not written
 * for ten minutes. So each network of a campaign gets through once, and newcomers can still write.
 */
export class TotalWriteLimit {
  readonly #perMinute: () => number;
  readonly #now: () => number;
  #refusedAt = -Infinity;

  /** @param perMinute 0: no limit @param now wall-clock time in milliseconds since 1970 */
  constructor(perMinute: () => number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  lookups({ clientKey }: Caller): TotalWriteLookups {
    const limit = 2 * this.#perMinute();
    if (limit === 0) return {};
    const type = 'recentWriteAges';
    const own = { type, windowMs: NEWCOMER_MS, limit: 1 } as const;
    const network = { widened: widenNetwork(clientKey) };
    return {
      allNetworks: { type, by: null, windowMs: MINUTE_MS, limit },
      ownFeed: { ...own, by: { clientKey, limitScope: 'feed' } },
      ownPorch: { ...own, by: { clientKey, limitScope: 'porch' } },
      ofNetwork: { type, by: network, windowMs: NEWCOMER_MS, limit: this.#quarter },
    };
  }

  /** A quarter of the newcomers' places: the maximum for one widened network, and as many for new ones. */
  get #quarter(): number {
    return Math.max(1, Math.floor(this.#perMinute() / 4));
  }

  /** @param facts the answers to `lookups` @throws WorkspaceError rate_limited */
  check({ allNetworks = [], ownFeed = [], ownPorch = [], ofNetwork = [] }: TotalWriteFacts): void {
    const perMinute = this.#perMinute();
    const isNewcomer = ownFeed.length === 0 && ownPorch.length === 0;
    // The number of writes after the one that filled the quarter of this network; -1 if it has places left.
    const newer = allNetworks.indexOf(ofNetwork[this.#quarter - 1] ?? -1);
    const ofNewcomers = ofNetwork.length === 0 ? perMinute : perMinute - this.#quarter;
    const places = newer < 0 ? ofNewcomers : Math.min(ofNewcomers, newer + 1);
    const max = isNewcomer ? perMinute + places : perMinute;
    if (perMinute === 0 || allNetworks.length < max) return;
    // When this write is older than a minute, another one can follow.
    const age = allNetworks[max - 1] ?? 0;
    const retryAfterSeconds = toRetrySeconds(MINUTE_MS - age);
    throw new WorkspaceError(
      'rate_limited',
      'The service has reached its limit on writes per minute across all networks. Wait ' +
        `${retryAfterSeconds} s before you write again; reads still work.`,
      { limit: LIMIT, retryAfterSeconds },
    );
  }

  /** Records the time if this limit caused the error. @param error of any write */
  recordRefusal(error: unknown): void {
    if (error instanceof WorkspaceError && error.failure.limit === LIMIT) this.#refusedAt = this.#now();
  }

  /** Whether this process has refused a write within the last minute. */
  isClosed(): boolean {
    return this.#now() - this.#refusedAt < MINUTE_MS;
  }
}
