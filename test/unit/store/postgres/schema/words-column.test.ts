import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashWord } from '#store/engine/word-hash.ts';
import { newDatabase, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { aPost, aReply } from '../../../../support/store/records.ts';
import { addPost, addPosts, erase } from '../../../../support/store/writes.ts';

test('the words column of a post holds hashes, and an erase removes them', async (t) => {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
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

test('a word is found whether it is frequent, rare or neither', async (t) => {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
  const posts = Array.from({ length: 600 }, (_, n) => {
    const words = ['every', n % 10 === 0 ? 'tenth' : '', n === 0 ? 'oldest' : ''];
    return n % 3 === 0 ? aPost(words.join(' ')) : aReply('post_0', words.join(' '));
  });
  await addPosts(store, posts);
  const ids = posts.map(({ id }) => id).reverse();
  const read = async (words: string[], limit: number, maxCandidates: number): Promise<string[]> => {
    const found: string[] = [];
    for (let before: string | undefined; ; ) {
      const { items, examinedTo } = await store.read.feed({ words }, { before, limit, maxCandidates });
      found.push(...items.map(({ record }) => record.id));
      if (examinedTo === null) return found;
      before = examinedTo;
    }
  };
  for (const [limit, maxCandidates] of [
    [100, 20_000],
    [7, 50],
    [100, 20],
  ] as const) {
    assert.deepEqual(await read(['every'], limit, maxCandidates), ids);
    assert.deepEqual(
      await read(['tenth'], limit, maxCandidates),
      ids.filter((_, n) => (599 - n) % 10 === 0),
    );
    assert.deepEqual(await read(['every', 'oldest'], limit, maxCandidates), [ids[599]]);
  }
});

test('a batch of writes ends earlier where its texts have many words', async (t) => {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
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
