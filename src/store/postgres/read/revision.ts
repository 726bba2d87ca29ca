import type { Revision } from '#store/port/store.ts';
import { withTimeout } from '#store/postgres/connection/connect.ts';
import type { RunQuery } from './run-query.ts';

const CLOCK_STATE = "select concat_ws(' ', revision, last) as state from clock";

const RETRY_AFTER_MS = 1000;

/** Counts changes of the row of `clock`: a standby that lags and takes over repeats its numbers. */
export class RevisionReader {
  readonly #query: CoalescedQuery<Revision>;
  #last: { state: string | undefined; revision: number } = { state: undefined, revision: 0 };
  /** On the scale of performance.now(). */
  #retryAt = 0;

  constructor(runQuery: RunQuery, timeoutMs: number) {
    this.#query = new CoalescedQuery(() => this.#readClock(runQuery, timeoutMs));
  }

  /** @returns undefined if the database does not respond in time */
  read(): Promise<Revision> {
    return this.#query.run();
  }

  async #readClock(runQuery: RunQuery, timeoutMs: number): Promise<Revision> {
    if (performance.now() < this.#retryAt) return undefined;
    try {
      const reading = runQuery<{ state: string }>('revision', CLOCK_STATE);
      const [clock] = await withTimeout(reading, timeoutMs);
      if (clock?.state !== this.#last.state)
        this.#last = { state: clock?.state, revision: this.#last.revision + 1 };
      return this.#last.revision;
    } catch {
      this.#retryAt = performance.now() + RETRY_AFTER_MS;
      return undefined;
    }
  }
}

/** Calls during a running query share the next one, so that no result is older than its call. */
export class CoalescedQuery<Result> {
  readonly #query: () => Promise<Result>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Result> | undefined;

  constructor(query: () => Promise<Result>) {
    this.#query = query;
  }

  run(): Promise<Result> {
    return (this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const result = this.#query();
      this.#running = result.catch(() => undefined);
      return result;
    }));
  }
}
