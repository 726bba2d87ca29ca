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

test('moderations of a schema without arrival numbers keep their order, and an older program may still add some', async (t) => {
  const schema = newSchema();
  await (await openStore({ schema })).close();
  const client = await openClient(t, schema);
  await client.query(`drop index moderation_deciding; alter table moderation drop constraint moderation_pkey;
    alter table moderation drop arrival; alter table moderation add primary key (at);
    delete from migration where name = '0003-moderation-arrival'`);
  const insert = (at: string): Promise<unknown> =>
    client.query("insert into moderation (at, action, id, reason) values ($1, 'hide', 'post_a', 'x')", [at]);
  for (const day of [2, 1]) await insert(`2020-01-0${day}T00:00:00.000000Z`);
  const store = await openStore({ schema });
  t.after(() => store.close());
  await insert('2020-01-03T00:00:00.000000Z');
  const entries = await store.read.moderations(9);
  assert.deepEqual(
    entries.map(({ at }) => at.slice(0, 10)),
    ['2020-01-03', '2020-01-02', '2020-01-01'],
  );
});
