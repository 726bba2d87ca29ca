import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { hashWord } from '#store/engine/word-hash.ts';
import { WordBackfill } from '#store/postgres/schema/word-backfill.ts';
import type { Store } from '#store/store.ts';
import { newDatabase, openClient, openStore } from '../../../support/postgres/postgres.ts';
import { aPost, aReply } from '../../../support/store/records.ts';
import { addPost, addPosts, erase, hide, unhide } from '../../../support/store/writes.ts';

const ALL = { limit: 100, maxCandidates: 20_000 };

const find = async (store: Store, word: string): Promise<string[]> =>
  (await store.read.feed({ words: [word] }, ALL)).items.map(({ record }) => record.id);

test('posts of an older program are found at once, and get their words in the background', async (t) => {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
  const client = await openClient(t, url);
  const posts = await addPosts(
    store,
    Array.from({ length: 450 }, (_, n) => aPost(`number${n} of many`)),
  );
  await hide(store, posts[7]!.record.id);
  await client.query('update entry set words = null');
  assert.deepEqual(await find(store, 'number3'), [posts[3]!.record.id]);
  assert.deepEqual(await find(store, 'number7'), []);
  const { items, examinedTo } = await store.read.feed(
    { prefix: null, threads: true },
    { limit: 5, maxCandidates: 3 },
  );
  assert.ok(items.length > 0 && examinedTo !== null);
  const pool = new pg.Pool({ connectionString: url, options: '-c search_path=porchlight' });
  t.after(() => pool.end());
  const backfill = new WordBackfill({ pool, report: () => undefined });
  const isFilled = async (): Promise<boolean> =>
    (await client.query("select from entry where kind = 'post' and words is null")).rowCount === 0;
  // The store fills beside, because it was searched: rows that it has locked are left to it or to the next pass.
  while ((await backfill.fillBatch()) > 0 || !(await isFilled()));
  await unhide(store, posts[7]!.record.id);
  for (const number of [0, 7, 449])
    assert.deepEqual(await find(store, `number${number}`), [posts[number]!.record.id]);
});

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
    ['prefix IDEA', 'first post', 'idea', 'a', 'zebrafish', record.id]
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
  // Some 16,000 words each, which take 280 kB; a batch ends with the write that reaches 1 MB.
  const text = Array.from({ length: 8000 }, (_, n) => String.fromCharCode(0x4e00 + n)).join('');
  await addPosts(
    store,
    Array.from({ length: 12 }, () => aPost(text)),
  );
  const { rowCount } = await client.query('select distinct xmin::text from entry');
  assert.equal(rowCount, 3);
});
