import type pg from 'pg';
import { RETENTION_MS } from '#store/engine/write-history.ts';

const EVERY_MS = 10 * 60 * 1000;

/** So many visits go in one statement, for it to be short. */
const STRETCH = 1000;

// By now(), which stands still within a statement, so that the index can be asked by it.
const PRUNE = `delete from visit where ctid = any(array(
  select ctid from visit
  where at <= coalesce($1::float8, extract(epoch from now())::float8 * 1000) - ${RETENTION_MS}
  limit ${STRETCH}))`;

/**
 * Forgets who wrote what longer ago than anybody may know.
 * @param now wall-clock time, where it is not the database's that counts
 */
async function prune(pool: pg.Pool, now: number | undefined): Promise<void> {
  for (let gone = STRETCH; gone >= STRETCH; ) gone = (await pool.query(PRUNE, [now ?? null])).rowCount ?? 0;
}

/** @returns how to stop it. */
export function pruneRegularly(pool: pg.Pool, now: () => number | undefined): () => void {
  const run = (): void => {
    prune(pool, now()).catch(() => undefined);
  };
  run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * Gives back the space of what was erased, for others to write over. PostgreSQL itself keeps the text for longer: in the
 * free space of a page until something is written there, in rows that an older reader may still see or that this did not
 * reach in time, both until the next vacuum, in the write-ahead log, and in replicas and backups.
 */
export async function vacuum(pool: pg.Pool): Promise<void> {
  await pool.query('vacuum entry').catch(() => undefined);
}
