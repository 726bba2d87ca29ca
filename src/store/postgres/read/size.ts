import type { RunQuery } from './run-query.ts';

/** `pg_total_relation_size` examines every file of every table, so it does not run for each write. */
const MAX_AGE_MS = 5000;

// With indexes and TOAST tables. A table that is dropped meanwhile has the size null, which `sum` leaves out.
const SIZE = `select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as bytes from pg_class
  where relkind in ('r', 'p')
    and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

/** Caches the size of the store's tables and renews it in the background, so that no write waits for it. */
export class SizeReader {
  readonly #runQuery: RunQuery;
  readonly #now: () => number;
  #bytes: number | undefined;
  #measuredAt = -Infinity;
  #measuring: Promise<void> | undefined;

  constructor(runQuery: RunQuery, now: () => number) {
    this.#runQuery = runQuery;
    this.#now = now;
  }

  /** @returns bytes; undefined before the first measurement that succeeded */
  read(): number | undefined {
    if (this.#now() - this.#measuredAt >= MAX_AGE_MS) void this.refresh();
    return this.#bytes;
  }

  /** Measures now. After a failure the last size stays, and writes report the failure. */
  refresh(): Promise<void> {
    return (this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined)));
  }

  async #measure(): Promise<void> {
    this.#measuredAt = this.#now();
    try {
      const [row] = await this.#runQuery<{ bytes: number }>('size', SIZE);
      this.#bytes = row?.bytes ?? this.#bytes;
    } catch {
      // The next `read` after MAX_AGE_MS measures again.
    }
  }
}
