import pg from 'pg';
import { StoreFailure } from '#store/port/store.ts';
import { withClient, type DatabaseOptions } from '#store/postgres/connection/connect.ts';
import { MIGRATIONS } from './migrations.ts';

/** How long an instance waits for another that is running migrations. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;

/**
 * Runs the missing migrations in one transaction. Instances that start at the same time wait for the first
 * one by an advisory lock.
 * @param mustExist whether a database without a store is refused
 * @throws StoreFailure if the database has no store, another encoding than UTF8 or another schema; errors of
 *   the driver
 */
export async function migrate(database: DatabaseOptions, mustExist: boolean): Promise<void> {
  const { schema } = database;
  await withClient(database, async (client) => {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`porchlight ${schema}`]);
    const { rowCount } = await client.query(
      "select from pg_tables where schemaname = $1 and tablename = 'migration'",
      [schema],
    );
    if (mustExist && rowCount === 0) throw new StoreFailure('nothing', 'the database holds no store');
    if (rowCount === 0) await createMigrationTable(client, schema);
    await client.query("select set_config('search_path', $1, true)", [pg.escapeIdentifier(schema)]);
    const known = await readMigrations(client);
    for (const { name, sql, keepsOlderPrograms = false } of MIGRATIONS) {
      if (known.has(name)) continue;
      await client.query(sql);
      const values = [name, keepsOlderPrograms];
      await client.query('insert into migration (name, compatible) values ($1, $2)', values);
    }
    await client.query('commit');
  });
}

/** @throws StoreFailure if the database has another encoding than UTF8 */
async function createMigrationTable(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  if (rows[0]?.server_encoding !== 'UTF8')
    throw new StoreFailure('nothing', 'the database is not one of UTF8, and could not keep every text');
  const name = pg.escapeIdentifier(schema);
  // An operator with more rights may have created the schema.
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`create schema ${name}`);
  await client.query(`create table ${name}.migration (name text primary key,
    at timestamptz not null default now(), compatible boolean not null default false)`);
}

/**
 * @returns the names of the migrations that were run
 * @throws StoreFailure if another version has changed the schema in a way that this one does not know
 */
async function readMigrations(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string; isCompatible: boolean }>(
    // The table of an early version has no such column.
    `select name, to_jsonb(migration) ->> 'compatible' is not distinct from 'true' as "isCompatible"
      from migration order by name`,
  );
  const ours = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = rows.find(({ name, isCompatible }) => !isCompatible && !ours.has(name));
  if (unknown !== undefined)
    throw new StoreFailure(
      'nothing',
      'another version of this program made the schema of the database ' +
        `(${unknown.name}); run that version, or export the store with it and import the file here`,
    );
  return new Set(rows.map(({ name }) => name));
}
