import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { check } from '#commands/check.ts';
import type { Store } from '#store/port/store.ts';
import { runCommand } from '../../support/commands.ts';
import { newDatabase, openClient, openNewStore, openStore } from '../../support/postgres/postgres.ts';
import { startOne } from '../../support/store/machine.ts';
import { addPost } from '../../support/store/writes.ts';
import { thoroughTest } from '../../support/thorough.ts';

/** @returns what `porchlight check` prints on standard output */
async function runCheck(store: Store): Promise<string> {
  return (await runCommand(check, store, {})).join('\n');
}

test('check on a database tries every kind of read and finds the store whole', async (t) => {
  const { store } = await openNewStore(t);
  await addPost(store, 'x');
  assert.match(await runCheck(store), /^The store is intact: 1 posts \(1 visible\)/);
});

thoroughTest('check names every kind of read that the database denies, and the reason', async (t) => {
  const url = new URL(await newDatabase(t));
  const client = new pg.Client(url.href);
  await client.connect();
  // Roles are those of all databases.
  const reader = `${url.pathname.slice(1)}_reader`;
  await client.query(`create role ${reader} login password 'for-tests-only';
    set search_path = porchlight;
    grant usage on schema porchlight to ${reader};
    grant select on clock, entry, mention, migration, thread, visitor_secret to ${reader}`);
  t.after(async () => {
    await client.query(`drop owned by ${reader}; drop role ${reader}`);
    await client.end();
  });
  url.username = reader;
  url.password = 'for-tests-only';
  const store = await openStore({ url: url.href });
  t.after(() => store.close());
  const denied = 'the user of the database lacks a required permission';
  await assert.rejects(runCheck(store), {
    name: 'CommandError',
    message: `The store is damaged; these reads fail:\nrelated: ${denied}\nsteps: ${denied}\nrecentWriteAges: ${denied}\nmoderations: ${denied}\nhistory: ${denied}\nlog: ${denied}\ntimestampsAround: ${denied}`,
  });
});

thoroughTest('check names every kind of read that lacks its table', async (t) => {
  const { url, store } = await openNewStore(t);
  const client = await openClient(t, url);
  await client.query('alter table entry rename to elsewhere');
  const missing = 'the database lacks a required table, or its user has no USAGE on the schema';
  await assert.rejects(runCheck(store), {
    name: 'CommandError',
    message: `The store is damaged; these reads fail:\nfind: ${missing}\npage: ${missing}\nfeed: ${missing}\nnews: ${missing}\nnewsOfThreads: ${missing}\nthreads: ${missing}\nrelated: ${missing}\nreferrersOf: ${missing}\ndayCounts: ${missing}\nfirstPosts: ${missing}\nsteps: ${missing}\nposts: ${missing}\ncountPosts: ${missing}\nrecords: ${missing}\nhistory: ${missing}\nlog: ${missing}\ntimestampsAround: ${missing}`,
  });
});

test('check of a folder in which a sync failed says that it takes no writes, and what to do', async (t) => {
  const [machine, a] = await startOne(t);
  await addPost(a.store, 'x');
  a.disk.failNext('sync', 'EIO', /^log/);
  await assert.rejects(addPost(a.store, 'y'));
  const report = await runCheck((await machine.start()).store);
  assert.match(report, /^The store is intact: 1 posts .* It rejects writes: .*run `porchlight repair`/);
  assert.ok(!report.includes('Writes are open'));
});

test('check warns of a newest timestamp that is ahead of the clock', async (t) => {
  const [, { store }] = await startOne(t);
  const { record } = await addPost(store, 'x');
  assert.match(await runCheck(store), /^The newest timestamp, 2\S+Z, is ahead of the clock/m);
  assert.deepEqual(JSON.parse((await runCommand(check, store, { json: true })).join()), {
    posts: { total: 1, visible: 1 },
    guestNotes: { total: 0, visible: 0 },
    projects: { total: 0, visible: 0 },
    projectNotes: 0,
    moderations: 0,
    newest: record.createdAt,
    aheadOfClock: true,
    frozen: false,
    writable: true,
    reason: null,
  });
});
