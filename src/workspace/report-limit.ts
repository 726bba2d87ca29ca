import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { HOUR_MS } from './text/durations.ts';

/** Limits the reports of one network an hour, counted in this process: a report is no public record. */
export class ReportLimit {
  readonly #max: () => number;
  readonly #now: () => number;
  #hour = 0;
  readonly #counts = new Map<string, number>();

  /** @param max 0: no limit */
  constructor(max: () => number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  /** Counts a report, whether or not it is a repetition. @throws WorkspaceError rate_limited */
  count({ clientKey }: Caller): void {
    const now = this.#now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#counts.clear();
    this.#hour = hour;
    const count = (this.#counts.get(clientKey) ?? 0) + 1;
    const max = this.#max();
    if (max > 0 && count > max)
      throw new WorkspaceError(
        'rate_limited',
        `Everybody at your network address shares ${max} reports an hour, and all are used. If it is ` +
          'urgent, write to the operator.',
        {
          limit: 'reportsPerNetworkPerHour',
          retryAfterSeconds: Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - now) / 1000)),
        },
      );
    this.#counts.set(clientKey, count);
  }
}
