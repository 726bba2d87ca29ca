import type pg from 'pg';

/** Runs one statement; retries on another connection after a lost one. @param name of the prepared statement */
export type RunQuery = <R extends pg.QueryResultRow>(
  name: string,
  text: string,
  values?: unknown[],
) => Promise<R[]>;
