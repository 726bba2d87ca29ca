import type { RecentWriteAgesLookup } from '#store/port/lookups.ts';
import { widenNetwork } from '#store/port/network.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { MINUTE_MS } from '#workspace/text/time.ts';

/** A network that has not written for so long is a newcomer, narrow or widened. */
const NEWCOMER_MS = 10 * MINUTE_MS;

const LIMIT = 'everybodyPerMinute';

/** The lookups of the valve, of the caller and its widened network; none while it is off. */
type ValveLookups = Partial<
  Record<'everybody' | 'ownFeed' | 'ownPorch' | 'ofNetwork', RecentWriteAgesLookup | undefined>
>;

type ValveFacts = Partial<Record<keyof ValveLookups, readonly number[] | undefined>>;

/**
 * Bounds the writes of all networks together to a number a minute. Beyond it only newcomers may write, up to
 * the same number again: networks whose last write is older than ten minutes. One /24 or /48 may have a
 * quarter of these places. The last quarter is for a /24 or /48 from which nobody has written for ten
 * minutes. So each network of a campaign gets through once, and newcomers can still write.
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
      everybody: { type, by: null, windowMs: MINUTE_MS, limit },
      ownFeed: { ...own, by: { clientKey, limitScope: 'feed' } },
      ownPorch: { ...own, by: { clientKey, limitScope: 'porch' } },
      ofNetwork: { type, by: network, windowMs: NEWCOMER_MS, limit: this.#quarter },
    };
  }

  /** The number of newcomers' places that one widened network may have, and that are only for new ones. */
  get #quarter(): number {
    return Math.max(1, Math.floor(this.#perMinute() / 4));
  }

  /** @param facts the answers to `lookups` @throws WorkspaceError rate_limited */
  check({ everybody = [], ownFeed = [], ownPorch = [], ofNetwork = [] }: ValveFacts): void {
    const perMinute = this.#perMinute();
    const isNewcomer = ownFeed.length === 0 && ownPorch.length === 0;
    // Writes beyond the limit use the places of newcomers. So many writes are newer than the oldest one of
    // this network that counts against its quarter.
    const newer = everybody.indexOf(ofNetwork[this.#quarter - 1] ?? -1);
    const ofNewcomers = ofNetwork.length === 0 ? perMinute : perMinute - this.#quarter;
    const places = newer < 0 ? ofNewcomers : Math.min(ofNewcomers, newer + 1);
    const max = isNewcomer ? perMinute + places : perMinute;
    if (perMinute === 0 || everybody.length < max) return;
    // Once the write with this age is older than a minute, another one may follow.
    const age = everybody[max - 1] ?? 0;
    const retryAfterSeconds = Math.max(1, Math.ceil((MINUTE_MS - age) / 1000));
    throw new WorkspaceError(
      'rate_limited',
      `Everybody together has written more in this minute than this service takes. Wait ` +
        `${retryAfterSeconds} s; reads still work.`,
      { limit: LIMIT, retryAfterSeconds },
    );
  }

  /** Notes that a write was refused. @param error of any write */
  note(error: unknown): void {
    if (error instanceof WorkspaceError && error.failure.limit === LIMIT) this.#refusedAt = this.#now();
  }

  /** Whether this process has refused a write within the last minute. */
  isClosed(): boolean {
    return this.#now() - this.#refusedAt < MINUTE_MS;
  }
}
