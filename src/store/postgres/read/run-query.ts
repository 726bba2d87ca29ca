import type pg from 'pg';
import type { Revision } from '#store/port/store.ts';
import { POOL_SIZE, withTimeout, type Timeouts } from '#store/postgres/connection/connect.ts';
import { isRetryable, toFailure } from '#store/postgres/connection/errors.ts';

/**
 * Runs one statement, again on another connection if its own is lost.
 * @param name of the prepared statement
 * @param start of the call, on the scale of `performance.now()`; by default now
 * @throws StoreFailure at the latest about `callMs` after the start
 */
export type RunQuery = <Row>(name: string, sql: string, values?: unknown[], start?: number) => Promise<Row[]>;

export function createRunQuery(pool: pg.Pool, { callMs, connectMs }: Timeouts): RunQuery {
  return async (name, text, values = [], start = performance.now()) => {
    // After a restart of the server every pooled connection may be dead.
    for (let tries = 1; ; tries++) {
      const left = start + callMs - performance.now();
      const query_timeout = Math.max(1, Math.ceil(left - connectMs));
      const query = { name, text, values, query_timeout };
      try {
        return (await pool.query<never>(query)).rows;
      } catch (error) {
        const hasTime = performance.now() - start <= callMs / 2;
        if (!isRetryable(error) || !hasTime || tries > POOL_SIZE) throw toFailure(error);
      }
    }
  };
}

/** Runs a statement that returns one row, of `clock` or without a table. @throws StoreFailure */
export async function readRow<Row>(runQuery: RunQuery, ...asked: Parameters<RunQuery>): Promise<Row> {
  const [row] = await runQuery<Row>(...asked);
  if (row === undefined) throw new Error('the clock is missing');
  return row;
}

/** Columns of `entry` with the names of `CountedRecord`, so that a row is a view. */
export const COUNTED_COLUMNS = 'body as record, children';
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

/** `pg_total_relation_size` examines every file of every table, so it does not run for each write. */
const MAX_AGE_MS = 5000;

// With indexes and TOAST tables. A table that is dropped meanwhile has the size null, which `sum` leaves out.
const SIZE = `select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as bytes from pg_class
  where relkind in ('r', 'p')
    and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

/** Caches the size of the store's tables and renews it in the background, so that no write waits for it. */
export function createSizeReader(runQuery: RunQuery, now = (): number => performance.now()) {
  let bytes: number | undefined;
  let measuredAt = -Infinity;
  let measuring: Promise<void> | undefined;
  const measure = async (): Promise<void> => {
    measuredAt = now();
    try {
      const [row] = await runQuery<{ bytes: number }>('size', SIZE);
      bytes = row?.bytes ?? bytes;
    } catch {
      // The next `read` after MAX_AGE_MS measures again.
    }
  };
  /** Measures now. After a failure the last size stays, and writes report the failure. */
  const refresh = (): Promise<void> => (measuring ??= measure().finally(() => (measuring = undefined)));
  /** @returns bytes; undefined before the first measurement that succeeded */
  const read = (): number | undefined => {
    if (now() - measuredAt >= MAX_AGE_MS) void refresh();
    return bytes;
  };
  return { read, refresh };
}
