import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure } from '#store/port/store.ts';
import { newDatabase, openClient, openStore } from '../../../../support/postgres/postgres.ts';

const refused = (error: unknown): boolean =>
  error instanceof StoreFailure &&
  /another version of this program made the schema.*\((0001-first|9000-x)\); run that version, or export/.test(
    error.message,
  );

test('a schema with a migration that this program does not know is refused with what to do', async (t) => {
  const url = await newDatabase(t);
  const client = await openClient(t, url);
  await client.query("insert into migration (name) values ('9000-x')");
  await assert.rejects(openStore({ url }), refused);
});

test('a schema of an early version is refused, and nothing of it changes', async (t) => {
  const url = await newDatabase(t);
  const client = await openClient(t, url);
  await client.query(`drop schema porchlight cascade; create schema porchlight;
    create table migration (name text primary key, at timestamptz not null default now());
    insert into migration (name) values ('0001-first')`);
  await assert.rejects(openStore({ url }), refused);
  const { rows } = await client.query<{ name: string }>(
    "select relname || '.' || attname as name from pg_attribute join pg_class on pg_class.oid = attrelid where " +
      "relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 order by 1",
  );
  const names = rows.map(({ name }) => name);
  assert.deepEqual(names, ['migration.at', 'migration.name']);
});

test('a newer schema that is marked as compatible opens', async (t) => {
  const url = await newDatabase(t);
  const client = await openClient(t, url);
  await client.query("insert into migration (name, compatible) values ('9000-x', true)");
  await (await openStore({ url })).close();
});
