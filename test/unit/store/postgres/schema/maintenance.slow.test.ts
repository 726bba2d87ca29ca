import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDatabase, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { testClock } from '../../../../support/clock.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { addPost, erase } from '../../../../support/store/writes.ts';

test('an erase whose vacuum gets no lock succeeds and reports the vacuum to run', async (t) => {
  const url = await newDatabase(t);
  const reports: string[] = [];
  const store = await openStore({ url, report: (what) => reports.push(what) });
  t.after(() => store.close());
  const ids = await Promise.all(
    ['first', 'second'].map(async (text) => (await addPost(store, text)).record.id),
  );

  assert.equal(await erase(store, ids[0]!), true);
  assert.deepEqual(reports, []);

  const client = await openClient(t, url);
  // The lock of a vacuum, which writes do not wait for.
  await client.query('begin; lock table entry in share update exclusive mode');
  assert.equal(await erase(store, ids[1]!), true);
  assert.equal(reports.length, 1);
  assert.match(
    reports[0]!,
    /^the vacuum after an erase failed, run "vacuum porchlight\.entry, porchlight\.mention": .*lock/,
  );
  await client.query('rollback');
});

test('forgetClients deletes the expired rows of a database that no instance had open, and counts them', async (t) => {
  const url = await newDatabase(t);
  const clock = testClock('2026-11-21T10:00:00.000Z');
  const server = await openStore({ url, clock });
  for (const client of ['a', 'b']) await addPost(server, client, anOrigin(client));
  clock.advance(24 * 3_600_000 - 1);
  await addPost(server, 'c', anOrigin('c'));
  assert.deepEqual(await server.forgetClients(), { destroyed: 0, unit: 'rows' });
  await server.close();
  clock.advance(1);
  const command = await openStore({ url, clock });
  t.after(() => command.close());
  assert.deepEqual(await command.forgetClients(), { destroyed: 2, unit: 'rows' });
  const client = await openClient(t, url);
  assert.equal((await client.query('select from write_history')).rowCount, 1);
});
