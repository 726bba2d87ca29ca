import type { Revision } from '#store/port/store.ts';
import { withTimeout } from '#store/postgres/connection/connect.ts';
import type { RunQuery } from './run-query.ts';

const CLOCK_STATE = "select concat_ws(' ', revision, last) as state from clock";

const RETRY_AFTER_MS = 1000;

/**
 * Counts changes of the row of `clock`: a standby that lags and takes over repeats its numbers.
 * @returns reads the revision; undefined if the database does not respond in time
 */
export function createReadRevision(runQuery: RunQuery, timeoutMs: number): () => Promise<Revision> {
  let last: { state: string | undefined; revision: number } = { state: undefined, revision: 0 };
  /** On the scale of performance.now(). */
  let retryAt = 0;
  return coalesced(async () => {
    if (performance.now() < retryAt) return undefined;
    try {
      const reading = runQuery<{ state: string }>('revision', CLOCK_STATE);
      const [clock] = await withTimeout(reading, timeoutMs);
      if (clock?.state !== last.state) last = { state: clock?.state, revision: last.revision + 1 };
      return last.revision;
    } catch {
      retryAt = performance.now() + RETRY_AFTER_MS;
      return undefined;
    }
  });
}

/** Calls during a running query share the next one, so that no result is older than its call. */
export function coalesced<Result>(query: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () =>
    (next ??= running.then(() => {
      next = undefined;
      const result = query();
      running = result.catch(() => undefined);
      return result;
    }));
}
