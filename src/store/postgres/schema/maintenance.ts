import pg from 'pg';
import type { Place } from '#store/postgres/connection/connect.ts';
import { CONNECT_MS, LOCK_MS } from '#store/postgres/connection/timeouts.ts';
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
 * Vacuums the table of records, so that PostgreSQL may write over what was erased. PostgreSQL itself keeps the text for
 * longer: in the free space of a page until something is written there, in rows that an older reader may still see, both
 * until the next vacuum, in the write-ahead log, and in replicas and backups.
 * @throws errors of the driver. There is no statement timeout: a large table takes minutes.
 */
export async function vacuum({ url, schema }: Place): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `${schema} vacuum`,
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: LOCK_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`vacuum ${pg.escapeIdentifier(schema)}.entry`);
  } finally {
    await client.end().catch(() => undefined);
  }
}
