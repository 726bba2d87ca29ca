import type { Caller } from '#workspace/service/caller.ts';
import { toRetrySeconds, WorkspaceError } from '#workspace/service/errors.ts';
import { HOUR_MS } from '#workspace/text/time.ts';

const MAX_REFUSALS_AN_HOUR = 60;
const REFUSAL_TEXTS = {
  ifUnchanged:
    `ifUnchanged has refused ${MAX_REFUSALS_AN_HOUR} messages from your network within the last hour. Nothing ` +
    'was stored. Read the thread, then send the message with ifUnchanged: false',
  link: `${MAX_REFUSALS_AN_HOUR} links from your network were invalid within the last hour. Copy the whole link`,
};
/** When more networks than this are tracked, those whose latest refusal is oldest are dropped. */
const MAX_NETWORKS = 10_000;

/**
 * Limits how often this process refuses a network for one reason: messages by `ifUnchanged`, or guessed
 * operator links. Such a refusal costs as much as a write, and counts against no other limit.
 */
export class RefusalLimit {
  readonly #now: () => number;
  readonly #text: string;
  /** The times of refusals by network, oldest first. The network with the newest refusal comes last. */
  readonly #times = new Map<string, readonly number[]>();

  /** @param now wall-clock time in milliseconds since 1970 */
  constructor(now: () => number, by: keyof typeof REFUSAL_TEXTS) {
    this.#now = now;
    this.#text = REFUSAL_TEXTS[by];
  }

  count({ clientKey }: Caller): void {
    const times = [...this.#recent(clientKey), this.#now()].slice(-MAX_REFUSALS_AN_HOUR);
    this.#times.delete(clientKey);
    this.#times.set(clientKey, times);
    for (const [network, refusals] of this.#times) {
      if (this.#times.size <= MAX_NETWORKS && (refusals.at(-1) ?? 0) > this.#now() - HOUR_MS) break;
      this.#times.delete(network);
    }
  }

  /** @returns the error for a network that has reached the limit; undefined for others */
  reached({ clientKey }: Caller): WorkspaceError | undefined {
    const times = this.#recent(clientKey);
    const [oldest] = times;
    if (oldest === undefined || times.length < MAX_REFUSALS_AN_HOUR) return undefined;
    const retryAfterSeconds = toRetrySeconds(oldest + HOUR_MS - this.#now());
    return new WorkspaceError('rate_limited', `${this.#text}, or wait ${retryAfterSeconds} s.`, {
      limit: 'refusalsPerNetworkPerHour',
      retryAfterSeconds,
    });
  }

  #recent(network: string): readonly number[] {
    const since = this.#now() - HOUR_MS;
    return (this.#times.get(network) ?? []).filter((time) => time > since);
  }
}
