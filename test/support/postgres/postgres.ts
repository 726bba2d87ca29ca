import { after, type TestContext } from 'node:test';
import pg from 'pg';
import { openPostgresStore, type PostgresStoreOptions } from '#store/postgres/postgres-store.ts';
import type { Store } from '#store/store.ts';
import { NO_FSYNC, startPostgres } from './server.ts';

const given = process.env['TEST_DATABASE_URL'];

/** The server that test/run.js started, or that of TEST_DATABASE_URL; else one for this file alone. */
const own = given === undefined ? await startPostgres(NO_FSYNC) : undefined;

export const DATABASE_URL = given ?? own!.url;

/** What all schemas of this file begin with. */
const OURS = `test_${process.pid}_${Math.trunc(performance.timeOrigin).toString(36)}_`;
let schemas = 0;

after(async () => {
  if (own !== undefined) return own.stop();
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where starts_with(nspname, $1)',
    [OURS],
  );
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
  return client.end();
});

/** @param name of which there is one in this file @returns the name of a schema that nobody used before. */
export function newSchema(name = String(++schemas)): string {
  return OURS + name.replaceAll('-', '_');
}

export function openStore(ground: Partial<PostgresStoreOptions>): Promise<Store> {
  return openPostgresStore({ url: DATABASE_URL, report: () => undefined, ...ground });
}

/** Some stores of one new schema, closed with the test. */
export async function openStores(
  t: TestContext,
  count: number,
  ground: Partial<PostgresStoreOptions> = {},
): Promise<Store[]> {
  const schema = newSchema();
  const stores = await Promise.all(Array.from({ length: count }, () => openStore({ schema, ...ground })));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores;
}

/** A client that looks at a schema from outside. */
export async function openClient(t: TestContext, schema: string, url = DATABASE_URL): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`set search_path = ${schema}`);
  t.after(() => client.end());
  return client;
}

/** @returns the address of a database that is new and goes with the test, for the product to make its own schema in. */
export async function newDatabase(test: { after: (fn: () => Promise<void>) => void }): Promise<string> {
  const name = newSchema();
  const ask = async (text: string): Promise<void> => {
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await ask(`create database ${name}`);
  test.after(() => ask(`drop database ${name} with (force)`));
  const url = new URL(DATABASE_URL);
  url.pathname = name;
  return url.href;
}
