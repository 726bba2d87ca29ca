import type { LimitScope, RecentWriteAgesLookup } from '#store/port/store.ts';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { MINUTE_MS } from './text/time.ts';

/** A network that has not written for so long is a newcomer. */
const NEWCOMER_MS = 10 * MINUTE_MS;

const LIMIT = 'everybodyPerMinute';

type AgesLookup = RecentWriteAgesLookup | undefined;

/** What the valve asks the store; undefined while it is off. */
export interface ValveLookups {
  readonly everybody: AgesLookup;
  readonly ownFeed: AgesLookup;
  readonly ownPorch: AgesLookup;
}

interface ValveFacts {
  readonly everybody?: readonly number[] | undefined;
  readonly ownFeed?: readonly number[] | undefined;
  readonly ownPorch?: readonly number[] | undefined;
}

/**
 * Bounds the writes of all networks together. Beyond so many a minute, a network whose last write is older
 * than ten minutes may still write, up to as many again: of a campaign over many networks each gets through
 * once, and newcomers go on.
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
    if (limit === 0) return { everybody: undefined, ownFeed: undefined, ownPorch: undefined };
    const type = 'recentWriteAges';
    const own = (limitScope: LimitScope): AgesLookup => ({
      type,
      by: { clientKey, limitScope },
      windowMs: NEWCOMER_MS,
      limit: 1,
    });
    const everybody: AgesLookup = { type, by: null, windowMs: MINUTE_MS, limit };
    return { everybody, ownFeed: own('feed'), ownPorch: own('porch') };
  }

  /** @param facts the answers to `lookups` @throws WorkspaceError rate_limited */
  check({ everybody = [], ownFeed = [], ownPorch = [] }: ValveFacts): void {
    const perMinute = this.#perMinute();
    const isNewcomer = ownFeed.length === 0 && ownPorch.length === 0;
    const max = isNewcomer ? 2 * perMinute : perMinute;
    if (max === 0 || everybody.length < max) return;
    // Once the write with this age has left the minute, there is room for one more.
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
