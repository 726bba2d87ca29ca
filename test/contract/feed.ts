import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedFilter, FeedRange } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { queryWordsOf } from '#message/words.ts';
import { isMatch } from '../support/store/differential/store-by-hand.ts';
import { openFirst, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPost, addPosts, importEntries } from '../support/store/writes.ts';
import { SeededRandom } from '../torture/support/random.ts';

const VOCABULARY =
  'alder alderman birch cedar elm fir hazel hazelnut maple oak pine 東京 京都 привет café ไทย'.split(' ');
const PREFIXES = ['IDEA: ', 'WORK: ', 'RESULT: ', 'REVIEW: ', 'CHANGE: ', ''];
const MANY = 20_000;

const pick = <Item>(random: SeededRandom, items: readonly Item[]): Item => items[random.below(items.length)]!;

/** Posts of random words, a third of them replies. */
function randomPosts(random: SeededRandom, count: number): Omit<Post, 'createdAt'>[] {
  const posts: Omit<Post, 'createdAt'>[] = [];
  for (let n = 0; n < count; n++) {
    const text = Array.from({ length: 1 + random.below(6) }, () => pick(random, VOCABULARY)).join(' ');
    const message = `${pick(random, PREFIXES)}${text}`;
    posts.push(n > 0 && random.below(3) === 0 ? aReply(pick(random, posts).id, message) : aPost(message));
  }
  return posts;
}

/** @returns the matching visible posts by looking at each of them, newest first */
async function bruteForce(store: Store, filter: FeedFilter): Promise<Post[]> {
  const all = await store.read.page('post', { order: 'newest', limit: 100_000 });
  return all.map(({ record }) => record).filter((post) => isMatch(post, filter));
}

const idsOf = (posts: readonly Post[]): string[] => posts.map(({ id }) => id);

/** @returns the posts of all pages. @param between runs after each page */
async function readAll(
  store: Store,
  filter: FeedFilter,
  range: Pick<FeedRange, 'limit'> & Partial<FeedRange>,
  between?: () => Promise<unknown>,
): Promise<{ posts: Post[] }> {
  const posts: Post[] = [];
  let { before } = range;
  for (;;) {
    const { items, examinedTo } = await store.read.feed(filter, { maxCandidates: MANY, ...range, before });
    posts.push(...items.map(({ record }) => record));
    assert.ok(items.length <= range.limit);
    if (examinedTo === null) return { posts };
    assert.ok(before === undefined || examinedTo < before || items.length === 0, 'every page goes on');
    before = examinedTo;
    await between?.();
  }
}

const find = async (store: Store, query: string): Promise<string[]> =>
  idsOf((await readAll(store, { words: queryWordsOf(query).words }, { limit: 100 })).posts);

export function testFeed(open: OpenStore): void {
  test('all pages of 50 random pairs of words hold exactly the posts with both, while other stores post', async (t) => {
    const location = new StoreLocation(t, open);
    const [store, ...others] = [await location.open(), await location.open(), await location.open()];
    const random = new SeededRandom(1);
    await addPosts(store, randomPosts(random, 400));
    const writers = others.map((other, index) => {
      const words = new SeededRandom(10 + index);
      let writing: Promise<unknown> | undefined;
      return {
        /** Unless the posts of the last time are still being written. */
        post: (): void => {
          writing ??= addPosts(other, randomPosts(words, 2)).finally(() => (writing = undefined));
        },
        idle: async (): Promise<void> => {
          await writing;
        },
      };
    });
    for (let pair = 0; pair < 50; pair++) {
      const { words } = queryWordsOf(`${pick(random, VOCABULARY)} ${pick(random, VOCABULARY)}`);
      const limit = pick(random, [1, 7, 50]);
      const earlier = idsOf(await bruteForce(store, { words }));
      for (const { post } of writers) post();
      const { posts } = await readAll(store, { words }, { limit }, async () => {
        for (const { post } of writers) post();
      });
      await Promise.all(writers.map(({ idle }) => idle()));
      // The first page decides up to which post: later ones have higher timestamps.
      const newest = posts[0]?.createdAt ?? '';
      const expected = (await bruteForce(store, { words })).filter(({ createdAt }) => createdAt <= newest);
      assert.deepEqual(idsOf(posts), idsOf(expected), words.join(' '));
      assert.deepEqual(idsOf(posts).slice(posts.length - earlier.length), earlier, words.join(' '));
    }
    assert.ok((await store.read.totals()).posts >= 500, 'the other stores posted');
  });

  test('pages that end early after a few candidates lose no post and come to an end', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await addPosts(store, randomPosts(new SeededRandom(3), 200));
    await addPost(store, 'a needle');
    await addPosts(store, randomPosts(new SeededRandom(4), 100));
    for (const filter of [
      { words: ['needle'] },
      { words: ['oak', 'pine'] },
      { words: ['nowhere'] },
      { prefix: 'CHANGE', threads: true },
      {},
    ]) {
      for (const maxCandidates of [1, 10, 100]) {
        const { posts } = await readAll(store, filter, { limit: 5, maxCandidates });
        assert.deepEqual(idsOf(posts), idsOf(await bruteForce(store, filter)), `${maxCandidates}`);
      }
    }
    const { items, examinedTo } = await store.read.feed(
      { words: ['oak'] },
      { limit: 100, maxCandidates: 10 },
    );
    assert.ok(items.length < 100 && examinedTo !== null);
  });

  test('a search takes ß for ss, in texts and in its words', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const ids = [];
    for (const text of ['Straßen, weiß', 'STRASSEN, WEISS', 'Straẞenbahn, WEIẞ'])
      ids.push((await addPost(store, text)).record.id);
    for (const query of ['straßen', 'Strassen', 'STRAẞEN weiss', 'weiß', 'strass'])
      assert.deepEqual((await find(store, query)).toSorted(), ids.toSorted(), query);
  });

  test('the beginning of a word finds it, also in a text of more words than an index has', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const many = String.fromCodePoint(...Array.from({ length: 3000 }, (_, n) => 0x4e00 + n));
    const records = await addPosts(store, [
      aPost('The libraries of Saltby'),
      aPost('a constable and a constant', { name: 'Librarian' }),
      aPost(`${many} boiling`),
    ]);
    const [first, second, third] = records.map(({ record }) => record.id);
    const table = [
      ['librar', [second, first]],
      ['LIBRARI', [second, first]],
      ['libraries', [first]],
      ['librarya', []],
      ['lib', []],
      ['consta', [second]],
      ['constab', [second]],
      ['considers', []],
      ['boil', [third]],
      ['boiled', []],
      ['一丁', [third]],
      ['丁一', []],
    ] as const;
    for (const [query, ids] of table) assert.deepEqual(await find(store, query), ids, query);
  });

  test('the id of a post finds what replies to it, stands under it or names it', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const root = aPost('a thread');
    const reply = aReply(root.id, 'a reply');
    const below = aPost('below', { parentId: reply.id, rootId: root.id });
    const naming = aPost(`REVIEW: I checked ${root.id.toUpperCase().replace('POST', 'post')}.`);
    await addPosts(store, [root, reply, below, naming, aPost('another')]);
    assert.deepEqual(await find(store, root.id), [naming.id, below.id, reply.id, root.id]);
    assert.deepEqual(await find(store, reply.id), [below.id]);
    assert.deepEqual(await find(store, newId('post')), []);
  });

  test('a post with the last possible timestamp is found by the first search of a store, and on every page', async (t) => {
    const { location, store } = await openFirst(t, open);
    // More words than an engine indexes in one step.
    const long = Array.from({ length: 1500 }, (_, n) => `oak${n}`).join(' ');
    await addPosts(store, [...Array.from({ length: 60 }, () => aPost(`oak ${long}`)), aPost('an elm')]);
    const last = { ...aPost('IDEA: oak'), createdAt: '9999-12-31T23:59:59.999999Z' };
    await importEntries(store, [{ kind: 'post', record: last }]);
    for (const filter of [{ words: ['oak'] }, { words: ['elm'] }, { prefix: 'IDEA' }, { threads: true }]) {
      const fresh = await location.open();
      const expected = idsOf(await bruteForce(fresh, filter));
      for (const maxCandidates of [MANY, 1]) {
        const { posts } = await readAll(fresh, filter, { limit: 9, maxCandidates });
        assert.deepEqual(idsOf(posts), expected, `${JSON.stringify(filter)}, ${maxCandidates}`);
      }
    }
  });
}
