import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure } from '#store/store.ts';
import { newSchema, openClient, openStore } from '../../../../support/postgres/postgres.ts';

test('a schema that a newer program has changed is refused by the name of its migration', async (t) => {
  const schema = newSchema();
  await (await openStore({ schema })).close();
  const client = await openClient(t, schema);
  await client.query("insert into migration (name) values ('9000-renamed-columns')");
  await assert.rejects(
    openStore({ schema }),
    (error) => error instanceof StoreFailure && /newer version.*9000-renamed-columns/.test(error.message),
  );
});

test('a newer schema that is marked as compatible opens', async (t) => {
  const schema = newSchema();
  await (await openStore({ schema })).close();
  const client = await openClient(t, schema);
  await client.query("insert into migration (name, compatible) values ('9000-new-index', true)");
  await (await openStore({ schema })).close();
});

test('a schema of a program that did not mark compatible migrations opens', async (t) => {
  const schema = newSchema();
  await (await openStore({ schema })).close();
  const client = await openClient(t, schema);
  await client.query('alter table migration drop compatible');
  await (await openStore({ schema })).close();
});
