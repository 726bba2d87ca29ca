import pg from 'pg';
import { withClient, type DatabaseOptions } from '#store/postgres/connection/connect.ts';
import { quoteError } from '#store/postgres/connection/errors.ts';
import { RETENTION_MS } from '#store/engine/write-history.ts';
import type { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import type { ClientTags } from './client-tags.ts';

const PRUNE_INTERVAL_MS = 10 * 60 * 1000;
const DELETE_BATCH = 1000;

// Deletes the client keys of old writes. By now(), which is constant within a statement, so that the index
// can be used.
const PRUNE = `delete from write_history where ctid = any(array(
  select ctid from write_history
  where at <= coalesce($1::float8, extract(epoch from now())::float8 * 1000) - ${RETENTION_MS}
  limit ${DELETE_BATCH}))`;

/** Prunes rows and secrets at once, then every ten minutes. After a failure the next run tries again. */
export function startPruning(pool: pg.Pool, clock: DatabaseClock, tags: ClientTags) {
  let total = 0;
  // One run after another, so that the number includes all runs before.
  let last: Promise<unknown> = Promise.resolve();
  /** Prunes at once. @returns the number of rows deleted since the start. @throws errors of the driver */
  const run = (): Promise<number> => {
    const running = last.then(async () => {
      await tags.destroyExpired(clock.now());
      for (let deleted = DELETE_BATCH; deleted >= DELETE_BATCH; total += deleted)
        deleted = (await pool.query(PRUNE, [clock.override() ?? null])).rowCount ?? 0;
      return total;
    });
    last = running.catch(() => undefined);
    return running;
  };
  const runSilently = (): void => {
    run().catch(() => undefined);
  };
  runSilently();
  const timer = setInterval(runSilently, PRUNE_INTERVAL_MS).unref();
  return {
    run,
    stop: () => {
      clearInterval(timer);
    },
  };
}

/**
 * Vacuums the tables with texts and named ids, so that PostgreSQL can overwrite erased ones. A text may stay
 * where `remainsAfterErase` says. No statement timeout applies, since a large table takes minutes.
 * @param report is called with a failure
 */
export async function vacuum(database: DatabaseOptions, report: (what: string) => void): Promise<void> {
  const name = pg.escapeIdentifier(database.schema);
  const work = async (client: pg.Client): Promise<void> => {
    // With a statement, since PgBouncer refuses it as a parameter of the connection.
    await client.query(`set lock_timeout = ${database.timeouts.lockMs}`);
    await client.query(`vacuum ${name}.entry, ${name}.mention`);
  };
  await withClient(database, work).catch((error: unknown) => {
    const { schema } = database;
    report(
      `the vacuum after an erase failed, run "vacuum ${schema}.entry, ${schema}.mention": ${quoteError(error)}`,
    );
  });
}
