import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure } from '#store/port/store.ts';
import { DATABASE_URL, newSchema, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { Pooler } from '../../../../support/postgres/pooler.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { textsOf } from '../../../../support/store/store-location.ts';
import { addPost, erase } from '../../../../support/store/writes.ts';

for (const [state, next, idle] of [
  ['hands the same backend to the next client', 'used-last', 0],
  ['hands another backend to the next client', 'used-first', 3],
] as const) {
  test(`a proxy that pools transactions and ${state} is refused before anything is created`, async (t) => {
    const schema = newSchema();
    const url = await Pooler.open(t, { mode: 'transaction', next, idle });
    await assert.rejects(
      openStore({ schema, url }),
      (error) =>
        error instanceof StoreFailure &&
        /pools transactions.*connect to PostgreSQL directly, or pool sessions/.test(error.message),
    );
    const client = await openClient(t, DATABASE_URL, 'public');
    const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
    assert.equal(rowCount, 0);
  });
}

test('through a proxy that pools sessions a store opens, writes, erases and notifies', async (t) => {
  const schema = newSchema();
  const url = await Pooler.open(t, { mode: 'session', next: 'used-first', idle: 3 });
  const reports: string[] = [];
  const store = await openStore({ schema, url, report: (message) => reports.push(message) });
  const other = await openStore({ schema });
  t.after(() => Promise.all([store.close(), other.close()]));
  const changed = new Promise<string>((resolve) => {
    store.watch(({ id }) => {
      resolve(id);
    });
  });
  const { record: first } = await addPost(other, 'first');
  assert.equal(await changed, first.id);
  await addPost(store, 'second', anOrigin('v'));
  assert.equal(await erase(store, first.id), true);
  assert.deepEqual(await textsOf(other), ['second']);
  assert.deepEqual(reports, []);
});
