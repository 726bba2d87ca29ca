import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { CommandOutput } from '#commands/command.ts';
import { check } from '#commands/check.ts';
import type { Store } from '#store/store.ts';
import { DATABASE_URL, newSchema, openClient, openStore } from '../../support/postgres/postgres.ts';
import { addPost } from '../../support/store/writes.ts';

/** @returns what `porchlight check` prints on standard output */
async function runCheck(store: Store): Promise<string> {
  const printed: string[] = [];
  const output: CommandOutput = {
    printResult: (line) => printed.push(line),
    logStatus: () => undefined,
    progress: () => ({ advance: () => undefined, done: () => undefined }),
  };
  const args = {
    positionals: [],
    reason: undefined,
    target: undefined,
    resume: false,
    json: false,
    input: undefined,
    now: () => 0,
  };
  await check.run(store, args, output);
  return printed.join('\n');
}

test('check on a database tries every kind of read and finds the store whole', async (t) => {
  const store = await openStore({ schema: newSchema() });
  t.after(() => store.close());
  await addPost(store, 'x');
  assert.match(await runCheck(store), /^The store is whole: 1 posts \(1 visible\)/);
});

test('check names every kind of read that the database denies, and the reason', async (t) => {
  const schema = newSchema();
  await (await openStore({ schema })).close();
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query(`set search_path = ${schema};
    create role ${schema}_reader login password 'for-tests-only';
    grant usage on schema ${schema} to ${schema}_reader;
    grant select on clock, entry, mention, migration, thread, visitor_secret, work_link, work_post to ${schema}_reader`);
  t.after(async () => {
    await client.query(`drop owned by ${schema}_reader; drop role ${schema}_reader`);
    await client.end();
  });
  const url = new URL(DATABASE_URL);
  url.username = `${schema}_reader`;
  url.password = 'for-tests-only';
  const store = await openStore({ schema, url: url.href });
  t.after(() => store.close());
  const denied = 'the database denies a right that is needed';
  await assert.rejects(runCheck(store), {
    name: 'CommandError',
    message: `The store is not whole, these reads fail:\nrecentWriteAges: ${denied}\nmoderations: ${denied}\nhistory: ${denied}`,
  });
});

test('check names every kind of read that lacks its table', async (t) => {
  const schema = newSchema();
  const store = await openStore({ schema });
  t.after(() => store.close());
  const client = await openClient(t, schema);
  await client.query('alter table entry rename to elsewhere');
  const missing = 'the database lacks a table that is needed';
  await assert.rejects(runCheck(store), {
    name: 'CommandError',
    message: `The store is not whole, these reads fail:\nfind: ${missing}\npage: ${missing}\nfeed: ${missing}\nnews: ${missing}\nthreads: ${missing}\nthreadSize: ${missing}\ntakersOf: ${missing}\ndayCounts: ${missing}\nfirstPosts: ${missing}\nwork: ${missing}\nstandings: ${missing}\nhistory: ${missing}`,
  });
});
