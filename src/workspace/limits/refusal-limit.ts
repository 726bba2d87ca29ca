import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { HOUR_MS } from '#workspace/text/time.ts';

const MAX_PER_HOUR = 60;
/** If there are more networks, those whose last refusal is the oldest are forgotten. */
const MAX_NETWORKS = 10_000;

/**
 * Limits how many writes of one network `ifUnchanged` refuses, in one process. Such a refusal costs as much
 * as a write, and counts against no other limit.
 */
export class RefusalLimit {
  readonly #now: () => number;
  /** By network, the times of its refusals, oldest first. The network with the newest refusal is the last. */
  readonly #times = new Map<string, readonly number[]>();

  /** @param now wall-clock time in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a refusal. */
  count({ clientKey }: Caller): void {
    const times = [...this.#recent(clientKey), this.#now()].slice(-MAX_PER_HOUR);
    this.#times.delete(clientKey);
    this.#times.set(clientKey, times);
    for (const [network, its] of this.#times) {
      if (this.#times.size <= MAX_NETWORKS && (its.at(-1) ?? 0) > this.#now() - HOUR_MS) break;
      this.#times.delete(network);
    }
  }

  /** @returns the error for a network that has no refusals left; undefined for others */
  reached({ clientKey }: Caller): WorkspaceError | undefined {
    const times = this.#recent(clientKey);
    const [oldest] = times;
    if (oldest === undefined || times.length < MAX_PER_HOUR) return undefined;
    const retryAfterSeconds = Math.max(1, Math.ceil((oldest + HOUR_MS - this.#now()) / 1000));
    return new WorkspaceError(
      'rate_limited',
      `ifUnchanged has refused ${MAX_PER_HOUR} messages of your network within the hour. Nothing was stored. ` +
        `Read the thread, then send it with ifUnchanged: false, or wait ${retryAfterSeconds} s.`,
      { limit: 'refusalsPerNetworkPerHour', retryAfterSeconds },
    );
  }

  #recent(network: string): readonly number[] {
    const since = this.#now() - HOUR_MS;
    return (this.#times.get(network) ?? []).filter((time) => time > since);
  }
}
