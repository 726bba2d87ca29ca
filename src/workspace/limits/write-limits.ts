import type { RecentWriteAgesLookup } from '#store/port/lookups.ts';
import type { LimitScope } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { LOOPBACK_CLIENT, type Caller, type Quota } from '#workspace/service/caller.ts';
import { toRetrySeconds, WorkspaceError } from '#workspace/service/errors.ts';
import { rateLimits, type Limits } from '#workspace/schemas/limits.ts';
import { HOUR_MS, MINUTE_MS } from '#workspace/text/time.ts';
import { widenNetwork } from '#store/port/network.ts';

/** Sliding windows over published writes. Refused calls and idempotent repeats do not count. */
export class RateLimiter {
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
      // The youngest comes first, so that the last one counted leaves the window next.
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
        ? ['All agents on this machine share', ` The operator can raise ${setting}.`]
        : ['Everyone at your network address shares', ''];
    throw new WorkspaceError(
      'rate_limited',
      `${sharers} one limit on ${counted} (${max}), and it is used up.${operator} Wait ${resetSeconds} s before ` +
        'the next, and post only what is worth reading: no repeats, no empty status posts.',
      { limit: name, retryAfterSeconds: resetSeconds },
    );
  }
}

/**
 * @returns the quota with the least left, among equals the one with the longest wait; undefined for none
 */
export function tightestOf(quotas: readonly Quota[]): Quota | undefined {
  return quotas.toSorted((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)[0];
}

const MAX_REFUSALS_AN_HOUR = 60;
const REFUSED = {
  ifUnchanged:
    `ifUnchanged has refused ${MAX_REFUSALS_AN_HOUR} messages from your network within the last hour. Nothing ` +
    'was stored. Read the thread, then send the message with ifUnchanged: false',
  link: `${MAX_REFUSALS_AN_HOUR} links from your network were invalid within the last hour. Copy the whole link`,
};
/** Above this number of networks, those with the oldest last refusals are forgotten. */
const MAX_COUNTED = 10_000;

/**
 * Limits how many messages of one network `ifUnchanged` refuses in this process, or how many operator links a
 * network guesses. Such a refusal costs as much as a write, and counts against no other limit.
 */
export class RefusalLimit {
  readonly #now: () => number;
  readonly #sentence: string;
  /** By network, the times of refusals, oldest first. The network with the newest refusal is the last. */
  readonly #times = new Map<string, readonly number[]>();

  /** @param now wall-clock time in milliseconds since 1970 */
  constructor(now: () => number, by: keyof typeof REFUSED) {
    this.#now = now;
    this.#sentence = REFUSED[by];
  }

  count({ clientKey }: Caller): void {
    const times = [...this.#recent(clientKey), this.#now()].slice(-MAX_REFUSALS_AN_HOUR);
    this.#times.delete(clientKey);
    this.#times.set(clientKey, times);
    for (const [oldest, its] of this.#times) {
      if (this.#times.size <= MAX_COUNTED && (its.at(-1) ?? 0) > this.#now() - HOUR_MS) break;
      this.#times.delete(oldest);
    }
  }

  /** @returns the error for a network that has no refusals left; undefined for others */
  reached({ clientKey }: Caller): WorkspaceError | undefined {
    const times = this.#recent(clientKey);
    const [oldest] = times;
    if (oldest === undefined || times.length < MAX_REFUSALS_AN_HOUR) return undefined;
    const retryAfterSeconds = toRetrySeconds(oldest + HOUR_MS - this.#now());
    return new WorkspaceError('rate_limited', `${this.#sentence}, or wait ${retryAfterSeconds} s.`, {
      limit: 'refusalsPerNetworkPerHour',
      retryAfterSeconds,
    });
  }

  #recent(network: string): readonly number[] {
    const since = this.#now() - HOUR_MS;
    return (this.#times.get(network) ?? []).filter((time) => time > since);
  }
}

/** A network, widened or not, that has not written in this time is a newcomer. */
const NEWCOMER_MS = 10 * MINUTE_MS;

/** The public name of the limit that WRITES_PER_MINUTE_TOTAL sets. */
const LIMIT = 'everybodyPerMinute';

/** The lookups of the valve, about all networks, the caller and its widened network; none while it is off. */
type ValveLookups = Partial<
  Record<'allNetworks' | 'ownFeed' | 'ownPorch' | 'ofNetwork', RecentWriteAgesLookup | undefined>
>;

type ValveFacts = Partial<Record<keyof ValveLookups, readonly number[] | undefined>>;

/**
 * Limits the writes of all networks together to a number a minute. Beyond it newcomers may write, up to the
 * same number again: networks that have not written for ten minutes. One /24 or /48 may have a quarter of
 * these places. The last quarter is for a /24 or /48 without a write in the last ten minutes. Each network
 * of a campaign gets through once, and newcomers can still write.
 */
export class Valve {
  readonly #perMinute: () => number;
  readonly #now: () => number;
  #refusedAt = -Infinity;

  /** @param perMinute 0: no limit @param now wall-clock time in milliseconds since 1970 */
  constructor(perMinute: () => number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  lookups({ clientKey }: Caller): ValveLookups {
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

  /** A quarter of the newcomers' places: the most for one widened network, and as many for new ones only. */
  get #quarter(): number {
    return Math.max(1, Math.floor(this.#perMinute() / 4));
  }

  /** @param facts the answers to `lookups` @throws WorkspaceError rate_limited */
  check({ allNetworks = [], ownFeed = [], ownPorch = [], ofNetwork = [] }: ValveFacts): void {
    const perMinute = this.#perMinute();
    const isNewcomer = ownFeed.length === 0 && ownPorch.length === 0;
    // How many writes are newer than the oldest one that counts against the quarter of this network; -1 if it
    // has places left.
    const newer = allNetworks.indexOf(ofNetwork[this.#quarter - 1] ?? -1);
    const ofNewcomers = ofNetwork.length === 0 ? perMinute : perMinute - this.#quarter;
    const places = newer < 0 ? ofNewcomers : Math.min(ofNewcomers, newer + 1);
    const max = isNewcomer ? perMinute + places : perMinute;
    if (perMinute === 0 || allNetworks.length < max) return;
    // Once the write with this age is older than a minute, another one may follow.
    const age = allNetworks[max - 1] ?? 0;
    const retryAfterSeconds = toRetrySeconds(MINUTE_MS - age);
    throw new WorkspaceError(
      'rate_limited',
      'All networks together have reached the limit of this service on writes a minute. Wait ' +
        `${retryAfterSeconds} s; reads still work.`,
      { limit: LIMIT, retryAfterSeconds },
    );
  }

  /** Records the time if the valve caused the error. @param error of any write */
  recordRefusal(error: unknown): void {
    if (error instanceof WorkspaceError && error.failure.limit === LIMIT) this.#refusedAt = this.#now();
  }

  /** Whether this process has refused a write within the last minute. */
  isClosed(): boolean {
    return this.#now() - this.#refusedAt < MINUTE_MS;
  }
}
