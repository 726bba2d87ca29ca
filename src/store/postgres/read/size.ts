import type { Ask } from './reader.ts';

/** `pg_total_relation_size` looks at every file of every table, so it is not asked for each write. */
const MAX_AGE_MS = 5000;

// Indexes and TOAST tables are included. A table that is dropped meanwhile has the size null, which `sum` leaves out.
const SIZE = `select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as bytes from pg_class
  where relkind in ('r', 'p') and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

/** Caches the size of the store's tables and renews it in the background, so that no write waits for it. */
export class SizeReader {
  readonly #ask: Ask;
  readonly #now: () => number;
  #bytes: number | undefined;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  /** @param now a monotonic clock in milliseconds */
  constructor(ask: Ask, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  /** @returns the size of the last measurement in bytes, undefined before the first one that succeeded */
  read(): number | undefined {
    if (this.#now() - this.#askedAt >= MAX_AGE_MS) void this.refresh();
    return this.#bytes;
  }

  /** Measures now. A failure leaves the last size: the database that does not answer refuses the write by itself. */
  refresh(): Promise<void> {
    return (this.#asking ??= this.#measure().finally(() => (this.#asking = undefined)));
  }

  async #measure(): Promise<void> {
    this.#askedAt = this.#now();
    try {
      const [row] = await this.#ask<{ bytes: number }>('size', SIZE);
      this.#bytes = row?.bytes ?? this.#bytes;
    } catch {
      // The next `read` after MAX_AGE_MS measures again.
    }
  }
}
