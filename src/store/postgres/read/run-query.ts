import type pg from 'pg';
import { POOL_SIZE, type Timeouts } from '#store/postgres/connection/connect.ts';
import { isRetryable, toFailure } from '#store/postgres/connection/errors.ts';

/**
 * Runs one statement, again on another connection if its own is lost.
 * @param name of the prepared statement
 * @param start of the call, on the scale of `performance.now()`; by default now
 * @throws StoreFailure at the latest about `callMs` after the start
 */
export type RunQuery = <Row>(
  name: string,
  text: string,
  values?: unknown[],
  start?: number,
) => Promise<Row[]>;

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

/** Columns of `entry` with the names of `CountedRecord`, so that a row is one. */
export const COUNTED_COLUMNS = 'body as record, children';
