import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashWord } from '#store/engine/word-hash.ts';
import { openClient, openNewStore } from '../../../../support/postgres/postgres.ts';
import { aPost } from '../../../../support/store/records.ts';
import { addPost, addPosts, erase } from '../../../../support/store/writes.ts';

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
