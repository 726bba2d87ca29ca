import { createHash } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import pg from 'pg';
import { openPostgresStore, type PostgresStoreOptions } from '#store/postgres/postgres-store.ts';
import { MIGRATIONS } from '#store/postgres/schema/migrations.ts';
import type { Store } from '#store/port/store.ts';
import { PATIENT_TIMEOUTS } from '../wait-until.ts';
import { NO_FSYNC, startPostgres } from './server.ts';

const given = process.env['TEST_DATABASE_URL'];

/** The server that test/run.js started, or that of TEST_DATABASE_URL; else one for this file alone. */
const own = given === undefined ? await startPostgres(NO_FSYNC) : undefined;

export const DATABASE_URL = given ?? own!.url;

/** What all schemas and databases of this file begin with. */
const OURS = `test_${process.pid}_${Math.trunc(performance.timeOrigin).toString(36)}_`;
let names = 0;

/** The database that `newDatabase` copies. Processes share it; another schema has another name. */
const TEMPLATE = `template_${createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 16)}`;
let template: Promise<string> | undefined;

/** Databases of tests that have ended. Each is dropped later, when the stores of its test are closed. */
const ended = new Set<string>();
let dropping: Promise<unknown> = Promise.resolve();

const admin = new pg.Pool({ connectionString: DATABASE_URL, max: 3, allowExitOnIdle: true });
// `end` of a pool does not wait for its connections, so the server may stop before the last one has ended.
admin.on('error', () => undefined);

after(async () => {
  dropEnded();
  await dropping;
  const { rows } = await admin.query<{ statement: string }>(
    `select format('drop schema %I cascade', nspname) as statement from pg_namespace where starts_with(nspname, $1)
      union all
      select format('drop database %I with (force)', datname) from pg_database where starts_with(datname, $1)`,
    [OURS],
  );
  for (const { statement } of rows) await admin.query(statement);
  await admin.end();
  await own?.stop();
});

/** Waits for connections that are about to end. A database that a failed test left open is dropped last. */
function dropEnded(): void {
  const dropped = [...ended].map((name) => admin.query(`drop database ${name}`));
  ended.clear();
  dropping = Promise.allSettled([dropping, ...dropped]);
}

function toUrl(database: string): string {
  const url = new URL(DATABASE_URL);
  url.pathname = database;
  return url.href;
}

/** Makes the template unless another process has. @returns the end of a statement that copies it */
async function makeTemplate(): Promise<string> {
  const client = await admin.connect();
  await client.query('select pg_advisory_lock(hashtext($1))', [TEMPLATE]);
  const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE]);
  if (rowCount === 0) {
    const unfinished = `${TEMPLATE}_unfinished`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished}`);
    await (await openStore({ url: toUrl(unfinished) })).close();
    await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
  }
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::integer as version, pg_advisory_unlock(hashtext($1))",
    [TEMPLATE],
  );
  client.release();
  // From version 15 on the default writes each page to the write-ahead log.
  return `template ${TEMPLATE} ${rows[0]!.version < 150_000 ? '' : 'strategy file_copy'}`;
}

/**
 * Creates a database with an empty store in the schema `porchlight`, in a fifth of the time of its
 * migrations. The database is dropped some time after the test.
 * @returns its address
 */
export async function newDatabase(test: { after: (fn: () => Promise<void>) => void }): Promise<string> {
  const copying = await (template ??= makeTemplate());
  dropEnded();
  const name = `${OURS}${++names}`;
  await admin.query(`create database ${name} ${copying}`);
  test.after(async () => {
    ended.add(name);
  });
  return toUrl(name);
}

/** @returns the name of a schema that nobody used before, for a store that makes its tables */
export function newSchema(): string {
  return `${OURS}${++names}`;
}

export function openStore(options: Partial<PostgresStoreOptions>): Promise<Store> {
  return openPostgresStore({
    url: DATABASE_URL,
    report: () => undefined,
    ...options,
    timeouts: { ...PATIENT_TIMEOUTS, ...options.timeouts },
  });
}

/** A new database, and a store of it, closed with the test. */
export async function openNewStore(
  t: TestContext,
  options: Partial<PostgresStoreOptions> = {},
): Promise<{ url: string; store: Store }> {
  const url = await newDatabase(t);
  const store = await openStore({ url, ...options });
  t.after(() => store.close());
  return { url, store };
}

/** Some stores of one new database, closed with the test. */
export async function openStores(
  t: TestContext,
  count: number,
  options: Partial<PostgresStoreOptions> = {},
): Promise<Store[]> {
  const url = await newDatabase(t);
  const stores = await Promise.all(Array.from({ length: count }, () => openStore({ url, ...options })));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores;
}

/** A client that looks at the tables of a store from outside. */
export async function openClient(t: TestContext, url: string, schema = 'porchlight'): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`set search_path = ${schema}`);
  t.after(() => client.end());
  return client;
}

/** Ends the connections of all stores on the database of a client. @returns their number */
export async function endConnections(client: pg.Client, where = 'true'): Promise<number | null> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'porchlight' and ${where}`,
  );
  return rowCount;
}
