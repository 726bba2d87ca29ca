import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Change, Store } from '#store/port/store.ts';
import {
  endConnections,
  newDatabase,
  newSchema,
  openClient,
  openNewStore,
  openStore,
} from '../../../support/postgres/postgres.ts';
import { textsOf } from '../../../support/store/store-location.ts';
import { testClock } from '../../../support/clock.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { addPost, hide } from '../../../support/store/writes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const HOUR = 3_600_000;

const post = (store: Store, text: string): Promise<unknown> => addPost(store, text, anOrigin('v'));

/** @returns two instances, the changes that the first is notified of, and a plain database client */
async function listening(t: TestContext) {
  const url = await newDatabase(t);
  const [one, other] = [await openStore({ url }), await openStore({ url })];
  t.after(() => Promise.all([one.close(), other.close()]));
  const changes: Change[] = [];
  one.watch((change) => changes.push(change));
  return { one, other, changes, client: await openClient(t, url) };
}

test('an instance is notified of every write of another once, also of those made while LISTEN was disconnected', async (t) => {
  const { one, other, client, changes } = await listening(t);
  const { record: first } = await addPost(other, 'first');
  assert.ok((await endConnections(client, "query like 'select revision%'"))! >= 2);
  const { record: second } = await addPost(other, 'second');
  await hide(other, first.id, 'x');
  const { record: third } = await addPost(one, 'third');
  await waitUntil(() => changes.length >= 4);
  const { record: fourth } = await addPost(other, 'fourth');
  await waitUntil(() => changes.length >= 5);
  assert.deepEqual(
    changes.map(({ action, id }) => [action, id]),
    [
      ['add', first.id],
      ['add', second.id],
      ['hide', first.id],
      ['add', third.id],
      ['add', fourth.id],
    ],
  );
});

test('notifications with invalid payloads are ignored', async (t) => {
  const { other, client, changes } = await listening(t);
  for (const payload of [
    ...['x', '', 'null', '[]', '{}', '[1]', '[9,"a","add"]', '["1","a","add","post_x"]'],
    ...['[1,2,"add","post_x"]', '[1,"a","burn","post_x"]'],
  ]) {
    await client.query('select pg_notify($1, $2)', ['porchlight', payload]);
  }
  const { record } = await addPost(other, 'first');
  await waitUntil(() => changes.length > 0);
  const ids = changes.map(({ id }) => id);
  assert.deepEqual(ids, [record.id]);
});

test('failover to a lagging replica re-delivers changes and invalidates cached reads', async (t) => {
  const { one, other, client, changes } = await listening(t);
  for (let n = 0; n < 5; n++) await post(one, `${n}`);
  const before = await one.revision();
  await client.query('update clock set revision = revision - 4');
  await endConnections(client);
  changes.length = 0;
  for (let n = 0; n < 4; n++) await addPost(other, 'new');
  await waitUntil(() => changes.length >= 4);
  assert.equal(changes.length, 4);
  assert.notEqual(await one.revision(), before);
});

test('instances that start at the same time on an empty database create one store', async (t) => {
  const schema = newSchema();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ schema })));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  await Promise.all(stores.map((store, number) => post(store, String(number))));
  assert.deepEqual((await textsOf(stores[0]!)).sort(), ['0', '1', '2', '3', '4']);
});

test('openStore with mustExist rejects if the schema does not exist, and does not create it', async () => {
  await assert.rejects(openStore({ schema: newSchema(), mustExist: true }), /holds no store/);
});

test('write origins are deleted after a day', async (t) => {
  const clock = testClock('2026-11-21T10:00:00Z');
  const { url, store } = await openNewStore(t, { clock });
  await post(store, 'old');
  clock.advance(24 * HOUR - 1000);
  await post(store, 'young');
  clock.advance(1000);
  const client = await openClient(t, url);
  const later = await openStore({ url, clock });
  t.after(() => later.close());
  const count = async (): Promise<unknown> =>
    (await client.query<{ count: string }>('select count(*) from write_history')).rows[0]!.count;
  await waitUntil(async () => (await count()) === '1');
});
