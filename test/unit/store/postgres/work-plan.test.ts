import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFRESH_WORK } from '#store/postgres/write/work-statements.ts';
import { newDatabase, openClient, openStore } from '../../../support/postgres/postgres.ts';
import { aPost, aReply } from '../../../support/store/records.ts';
import { addPosts } from '../../../support/store/writes.ts';

test('a WORK reads few rows where most references are those of WORKs to one post', async (t) => {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
  const client = await openClient(t, url);
  const idea = aPost('IDEA: x');
  const work = aReply(idea.id, 'WORK: x', { name: 'one name' });
  await addPosts(store, [idea, work]);
  await client.query(
    `insert into work_link (id, target, prefix, created_at, hidden, name_key)
      select 'post_' || n, $1, 'WORK', '2026-11-21T00:00:00.' || lpad(n::text, 6, '0') || 'Z', false, n
      from generate_series(1, 20000) as n`,
    [idea.id],
  );
  await client.query('vacuum analyze work_link');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${REFRESH_WORK}`, [[work.id]]);
  const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Seq Scan on work_link'));
  assert.deepEqual(scans, []);
});
