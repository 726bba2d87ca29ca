import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSchema, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { addPost, erase } from '../../../../support/store/writes.ts';

test('an erase whose vacuum gets no lock succeeds and reports the vacuum to run', async (t) => {
  const schema = newSchema();
  const reports: string[] = [];
  const store = await openStore({ schema, report: (what) => reports.push(what) });
  t.after(() => store.close());
  const ids = await Promise.all(
    ['first', 'second'].map(async (text) => (await addPost(store, text)).record.id),
  );

  assert.equal(await erase(store, ids[0]!), true);
  assert.deepEqual(reports, []);

  const client = await openClient(t, schema);
  // The lock of a vacuum, which writes do not wait for.
  await client.query('begin; lock table entry in share update exclusive mode');
  assert.equal(await erase(store, ids[1]!), true);
  assert.equal(reports.length, 1);
  assert.match(
    reports[0]!,
    new RegExp(`^the vacuum after an erase failed, run "vacuum ${schema}.entry": .*lock`),
  );
  await client.query('rollback');
});
