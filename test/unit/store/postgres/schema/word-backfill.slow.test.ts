import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { WordBackfill } from '#store/postgres/schema/word-backfill.ts';
import type { Post, Store } from '#store/store.ts';
import { newDatabase, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { aPost } from '../../../../support/store/records.ts';
import { addPosts } from '../../../../support/store/writes.ts';

const FIRST_HAN = 0x4e00;

/** A post of 8,000 different characters, and so with some 16,000 words. */
function longHanPost(first: number): Omit<Post, 'createdAt'> {
  const characters = Array.from({ length: 8000 }, (_, n) => String.fromCharCode(FIRST_HAN + first + n));
  return aPost(characters.join(''));
}

interface OlderStore {
  readonly store: Store;
  readonly client: pg.Client;
  readonly pool: pg.Pool;
  readonly ids: readonly string[];
  readonly wordless: () => Promise<string[]>;
}

/** A store whose posts have no words, as after an upgrade. */
async function openOlder(t: TestContext, posts: readonly Omit<Post, 'createdAt'>[]): Promise<OlderStore> {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
  const client = await openClient(t, url);
  await addPosts(store, posts);
  await client.query('update entry set words = null');
  const pool = new pg.Pool({ connectionString: url, options: '-c search_path=porchlight' });
  t.after(() => pool.end());
  const wordless = async (): Promise<string[]> =>
    (await client.query<{ id: string }>('select id from entry where words is null')).rows.map(({ id }) => id);
  return { store, client, pool, ids: posts.map(({ id }) => id), wordless };
}

const noReport = (): void => undefined;

test('a batch ends after some 50,000 words, so that it stays within the statement timeout', async (t) => {
  const posts = Array.from({ length: 12 }, (_, n) => longHanPost(n));
  const { pool, wordless } = await openOlder(t, posts);
  const backfill = new WordBackfill({ pool, report: noReport });
  const batches: number[] = [];
  for (let tried = 1; tried > 0; batches.push(tried)) tried = await backfill.fillBatch();
  assert.ok(Math.max(...batches) <= 4, batches.join());
  assert.deepEqual(await wordless(), []);
});

test('a row that a write has locked is left for the next pass', async (t) => {
  const { client, pool, ids, wordless } = await openOlder(t, [aPost('one'), aPost('two'), aPost('three')]);
  const backfill = new WordBackfill({ pool, report: noReport });
  await client.query('begin');
  await client.query('select from entry where id = $1 for update', [ids[1]]);
  assert.deepEqual([await backfill.fillBatch(), await backfill.fillBatch()], [3, 0]);
  await client.query('commit');
  assert.deepEqual(await wordless(), [ids[1]]);
  assert.deepEqual([await backfill.fillBatch(), await backfill.fillBatch()], [1, 0]);
  assert.deepEqual(await wordless(), []);
});

test('a post that cannot be filled is reported once and keeps no other from its words', async (t) => {
  const posts = Array.from({ length: 30 }, (_, n) => aPost(`number${n}`));
  const { client, pool, ids, wordless } = await openOlder(t, posts);
  const refused = ids[17]!;
  await client.query(`create sequence failures;
    create function refuse() returns trigger language plpgsql as
      $$ begin perform nextval('failures'); raise 'refused'; end $$;
    create trigger refuse before update on entry for each row when (new.id = '${refused}') execute function refuse()`);
  const reports: string[] = [];
  const backfill = new WordBackfill({ pool, report: (what) => reports.push(what), idleMs: 1 });
  backfill.start();
  // Sequences are not rolled back.
  const failures = async (): Promise<number> =>
    (await client.query<{ count: number }>('select last_value::integer as count from failures')).rows[0]!
      .count;
  while ((await wordless()).length > 1 || (await failures()) < 12) await sleep(10);
  await backfill.stop();
  assert.deepEqual(await wordless(), [refused]);
  assert.equal(reports.length, 1);
  assert.match(reports[0]!, /words of older posts.*refused/);
});
