import type { RunQuery } from './run-query.ts';

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
