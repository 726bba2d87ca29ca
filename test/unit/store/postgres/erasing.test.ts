import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { entryOf } from '#message/words.ts';
import { hashWord } from '#store/engine/word-hash.ts';
import type { FeedResult } from '#store/port/pages.ts';
import { openClient, openNewStore } from '../../../support/postgres/postgres.ts';
import { aPost, aReply } from '../../../support/store/records.ts';
import { addPost, addPosts, addRecord, erase } from '../../../support/store/writes.ts';

/** @returns every row of every table of the schema as text, as a plain dump has them */
async function dump(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'porchlight' order by name",
  );
  const rows: string[] = [];
  for (const { name } of tables)
    rows.push(
      ...(await client.query<{ row: string }>(`select t::text as row from ${name} as t`)).rows.map(
        ({ row }) => row,
      ),
    );
  return rows.join('\n');
}

/** @returns the bytes of a table or an index on the disk */
async function fileOf(client: pg.Client, relation: string): Promise<Buffer> {
  await client.query('checkpoint');
  const { rows } = await client.query<{ bytes: Buffer }>(
    'select pg_read_binary_file(pg_relation_filepath($1::regclass)) as bytes',
    [relation],
  );
  return rows[0]!.bytes;
}

function bytesOf(hash: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(hash));
  return bytes;
}

test('after an erase no row has a word of the text or its hash, and no index has the word', async (t) => {
  const { url, store } = await openNewStore(t);
  const client = await openClient(t, url);
  const others = Array.from({ length: 300 }, (_, n) => aPost(`number${n} of many`));
  await addPosts(store, others);
  const root = await addPost(store, 'a first post');
  const { record } = await addRecord(
    store,
    'post',
    aReply(root.record.id, `a zebrafish of ${others[0]!.id}`, { name: 'Okapi' }),
  );
  const words = ['zebrafish', 'okapi'];
  const traces = ['zebrafish', 'Okapi', ...words.map((word) => String(hashWord(entryOf(word))))];
  const search = (): Promise<FeedResult> => store.read.feed({ words }, { limit: 9, maxCandidates: 20_000 });
  assert.equal((await search()).items.length, 1);
  const before = await dump(client);
  for (const trace of traces) assert.ok(before.includes(trace), trace);
  await erase(store, record.id);
  const afterwards = await dump(client);
  for (const trace of traces) assert.ok(!afterwards.includes(trace), trace);
  const indexes = await client.query<{ name: string }>(
    "select indexname as name from pg_indexes where schemaname = 'porchlight'",
  );
  assert.ok(indexes.rows.some(({ name }) => name === 'entry_words'));
  for (const { name } of indexes.rows) {
    const file = (await fileOf(client, name)).toString('latin1');
    for (const word of ['zebrafish', 'okapi', 'Okapi'])
      assert.ok(!file.includes(word), `${name} has ${word}`);
  }
  assert.deepEqual((await search()).items, []);
});

test('the index of words keeps the hash of an erased word until it is built anew', async (t) => {
  const { url, store } = await openNewStore(t);
  const client = await openClient(t, url);
  const { record } = await addPost(store, 'a zebrafish');
  await erase(store, record.id);
  const hash = bytesOf(hashWord(entryOf('zebrafish')));
  assert.ok((await fileOf(client, 'entry_words')).includes(hash));
  await client.query('reindex index entry_words');
  assert.ok(!(await fileOf(client, 'entry_words')).includes(hash));
});

test('the words column of a post holds hashes, and an erase removes them', async (t) => {
  const { url, store } = await openNewStore(t);
  const client = await openClient(t, url);
  const { record } = await addPost(store, 'IDEA: a zebrafish');
  const hashesOf = async (): Promise<string[]> =>
    (await client.query<{ hash: string }>('select unnest(words) as hash from entry')).rows.map(
      ({ hash }) => hash,
    );
  assert.deepEqual(
    (await hashesOf()).toSorted(),
    ['prefix IDEA', 'first post', 'idea', 'a', 'zebr', 'zebraf', 'zebrafis', record.id]
      .map((word) => String(hashWord(word)))
      .toSorted(),
  );
  await erase(store, record.id);
  assert.deepEqual(await hashesOf(), []);
});

test('a batch of writes ends earlier where its texts have many words', async (t) => {
  const { url, store } = await openNewStore(t);
  const client = await openClient(t, url);
  // Almost 2,000 words each, which take 35 kB; a batch ends with the write that reaches 1 MB.
  const text = Array.from({ length: 999 }, (_, n) => String.fromCharCode(0x4e00 + n)).join('');
  await addPosts(
    store,
    Array.from({ length: 75 }, () => aPost(text)),
  );
  const { rowCount } = await client.query('select distinct xmin::text from entry');
  assert.equal(rowCount, 3);
});
