import pg from 'pg';
import { Umzug, type UmzugStorage } from 'umzug';
import { StoreFailure } from '#store/store.ts';
import type { Place } from '#store/postgres/connection/connect.ts';
import { CONNECT_MS } from '#store/postgres/connection/timeouts.ts';
import { MIGRATIONS } from './migrations.ts';

/** How long an instance waits for another that is changing the schema. */
const OTHERS_MS = 60_000;

function storageIn(client: pg.Client): UmzugStorage {
  return {
    logMigration: async ({ name }) => {
      await client.query('insert into migration (name) values ($1)', [name]);
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

/** Only where it is missing: who made it may have been somebody with more rights. */
async function makeSchema(client: pg.Client, schema: string): Promise<void> {
  const name = pg.escapeIdentifier(schema);
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`create schema ${name}`);
  await client.query("select set_config('search_path', $1, true)", [name]);
  const {
    rows: [found],
  } = await client.query<{ there: boolean }>("select to_regclass('migration') is not null as there");
  if (found?.there !== true)
    await client.query(
      'create table migration (name text primary key, at timestamptz not null default now())',
    );
}

/**
 * Brings the schema up to date, all of it or nothing. Any number of instances may do so at once: the first does it, the
 * others wait for it.
 * @param mustExist whether an empty place is refused
 * @throws StoreFailure in an empty place, or what the driver says
 */
export async function migrate({ url, schema }: Place, mustExist: boolean): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'porchlight migration',
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${OTHERS_MS}`);
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
    await makeSchema(client, schema);
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
