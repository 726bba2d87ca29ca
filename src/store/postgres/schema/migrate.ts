import pg from 'pg';
import { Umzug, type UmzugStorage } from 'umzug';
import { StoreFailure } from '#store/port/store.ts';
import type { DatabaseOptions } from '#store/postgres/connection/connect.ts';
import { MIGRATIONS } from './migrations.ts';

/** How long an instance waits for another that is running migrations. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;

function storageIn(client: pg.Client): UmzugStorage {
  return {
    logMigration: async ({ name }) => {
      const isCompatible = MIGRATIONS.find((one) => one.name === name)?.keepsOlderPrograms === true;
      await client.query('insert into migration (name, compatible) values ($1, $2)', [name, isCompatible]);
    },
    unlogMigration: async ({ name }) => {
      await client.query('delete from migration where name = $1', [name]);
    },
    executed: async () => {
      const { rows } = await client.query<{ name: string }>('select name from migration order by name');
      return rows.map(({ name }) => name);
    },
  };
}

/** Creates only what is missing: an operator with more rights may have created the schema. */
async function createMigrationTable(client: pg.Client, schema: string): Promise<void> {
  const name = pg.escapeIdentifier(schema);
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`create schema ${name}`);
  await client.query("select set_config('search_path', $1, true)", [name]);
  const { rows } = await client.query<{ table: string | null }>("select to_regclass('migration') as table");
  if (rows[0]?.table === null)
    await client.query(`create table migration (name text primary key, at timestamptz not null default now(),
      compatible boolean not null default false)`);
}

/** @throws StoreFailure if another version has changed the schema in a way that this one does not know */
async function refuseOtherSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    // The table of an early version has no such column.
    `select name from migration
      where to_jsonb(migration) ->> 'compatible' is distinct from 'true' and name <> all($1)
      order by name limit 1`,
    [MIGRATIONS.map(({ name }) => name)],
  );
  const [unknown] = rows;
  if (unknown !== undefined)
    throw new StoreFailure(
      'nothing',
      'another version of this program made the schema of the database ' +
        `(${unknown.name}); run that version, or export the store with it and import the file here`,
    );
}

/**
 * Runs the missing migrations in one transaction. Instances that start at once wait for the first of them, by
 * an advisory lock.
 * @param mustExist whether a database without a store is refused
 * @throws StoreFailure if the database has no store, another encoding than UTF8 or another schema; errors of
 *   the driver
 */
export async function migrate({ url, schema, timeouts }: DatabaseOptions, mustExist: boolean): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeouts.connectMs,
    application_name: 'porchlight migration',
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`porchlight ${schema}`]);
    const { rowCount } = await client.query(
      "select from pg_tables where schemaname = $1 and tablename = 'migration'",
      [schema],
    );
    if (mustExist && rowCount === 0) throw new StoreFailure('nothing', 'the database holds no store');
    const {
      rows: [setting],
    } = await client.query<{ server_encoding: string }>('show server_encoding');
    if (setting?.server_encoding !== 'UTF8')
      throw new StoreFailure('nothing', 'the database is not one of UTF8, and could not keep every text');
    await createMigrationTable(client, schema);
    await refuseOtherSchema(client);
    await new Umzug({
      migrations: MIGRATIONS.map(({ name, sql }) => ({
        name,
        up: async () => {
          await client.query(sql);
        },
      })),
      storage: storageIn(client),
      logger: undefined,
    }).up();
    await client.query('commit');
  } finally {
    await client.end().catch(() => undefined);
  }
}
