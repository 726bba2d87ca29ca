import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refersTo } from '#message/references.ts';
import type { NewsFilter, NewsRange, NewsResult } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { compareWords } from '#message/words.ts';
import { openFirst, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPost, addPosts, erase, hide, unhide } from '../support/store/writes.ts';

const LIMITS = { limit: 100, maxCandidates: 20_000 };

const textsOf = ({ items }: Pick<NewsResult, 'items'>): string[] => items.map(({ record }) => record.message);

const newsOf = (store: Store, filter: NewsFilter, range: Partial<NewsRange> = {}): Promise<NewsResult> =>
  store.read.news(filter, { ...LIMITS, ...range });

/** @returns the texts of all pages */
async function readAll(store: Store, filter: NewsFilter, range: Partial<NewsRange>): Promise<string[]> {
  const texts: string[] = [];
  for (let { after } = range; ; ) {
    const page = await newsOf(store, filter, { ...range, after });
    texts.push(...textsOf(page));
    if (page.examinedTo === null) return texts;
    assert.ok(page.examinedTo > (after ?? ''), 'a page moves on');
    after = page.examinedTo;
  }
}

function isNews(post: Post, { posts, prefix, words = [], any }: NewsFilter): boolean {
  const answers = (id: string): boolean => refersTo(post).includes(id) || post.rootId === id;
  return (
    (posts === undefined || (posts.some(answers) && !posts.includes(post.id))) &&
    (prefix === undefined || post.prefix === prefix) &&
    compareWords(post, words, any).holdsAll
  );
}

export function testNews(open: OpenStore): void {
  test('news are the visible posts after a timestamp, oldest first, with the latest timestamp', async (t) => {
    const { location, store } = await openFirst(t, open);
    const nothing = { items: [], examinedTo: null, latest: null, newer: 0, unknownPosts: [] };
    assert.deepEqual(await newsOf(store, {}), nothing);
    const stored = [];
    for (const text of ['0', '1', '2', '3']) stored.push(await addPost(store, text));
    const stamps = stored.map(({ record }) => record.createdAt);
    for (const reader of [store, await location.open()]) {
      const [first, , , last] = stamps;
      const all = await newsOf(reader, {});
      assert.deepEqual(textsOf(all), ['0', '1', '2', '3']);
      assert.deepEqual([all.examinedTo, all.latest, all.newer], [null, last, 4]);
      const page = await newsOf(reader, {}, { after: first, limit: 2 });
      assert.deepEqual([textsOf(page), page.examinedTo, page.newer], [['1', '2'], stamps[2], 3]);
      const none = await newsOf(reader, {}, { after: last });
      assert.deepEqual([textsOf(none), none.examinedTo, none.latest, none.newer], [[], null, last, 0]);
    }
    await hide(store, stored[3]!.record.id);
    const { latest, newer } = await newsOf(store, {}, { after: stamps[0] });
    assert.ok(latest! >= stamps[3]!, 'what was hidden is not news once it is visible again');
    assert.equal(newer, 2);
    await unhide(store, stored[3]!.record.id);
    await erase(store, stored[1]!.record.id);
    assert.deepEqual(await readAll(store, {}, { limit: 1 }), ['0', '2', '3']);
  });

  test('news count what is newer without a filter only', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const root = aPost('RESULT: fir');
    await addPosts(store, [root, aReply(root.id, 'RESULT: fir')]);
    const countWith = async (filter: NewsFilter): Promise<number | null> =>
      (await newsOf(store, filter, { limit: 1 })).newer;
    assert.equal(await countWith({}), 2);
    const filters = [
      { posts: [root.id] },
      { prefix: 'RESULT' },
      { prefix: null },
      { words: ['fir'] },
      { any: [['fir']] },
    ];
    for (const filter of filters) assert.equal(await countWith(filter), null);
  });

  test('news of posts are what takes one up or stands in a thread that it begins, and never they themselves', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [root, other] = [aPost('root'), aPost('other')];
    const reply = aReply(root.id, 'reply');
    const nested = aReply(reply.id, 'nested', { rootId: root.id });
    const named = aPost(`names ${other.id}`);
    await addPosts(store, [root, other, reply, nested, named, aPost('elsewhere')]);
    const newsAbout = async (...posts: string[]): Promise<string[]> =>
      textsOf(await newsOf(store, { posts }));
    const unknown = newId('post');
    assert.deepEqual(await newsAbout(root.id), ['reply', 'nested']);
    assert.deepEqual(await newsAbout(reply.id), ['nested']);
    assert.deepEqual(await newsAbout(other.id), [named.message]);
    assert.deepEqual(await newsAbout(root.id, other.id, reply.id), ['nested', named.message]);
    assert.deepEqual(await newsAbout(unknown, 'post_\u0000'), []);
    const { unknownPosts } = await newsOf(store, { posts: [unknown, root.id, 'post_\u0000'] });
    assert.deepEqual(unknownPosts, [unknown, 'post_\u0000']);
    // What answers a hidden or erased post is news as before.
    await hide(store, root.id);
    await erase(store, other.id);
    await addPosts(store, [aReply(root.id, 'late'), aPost(`again ${other.id}`)]);
    const late = await newsOf(store, { posts: [root.id, other.id] });
    assert.deepEqual(textsOf(late), ['reply', 'nested', named.message, 'late', `again ${other.id}`]);
    assert.deepEqual(late.unknownPosts, [root.id, other.id]);
    await hide(store, nested.id);
    await erase(store, named.id);
    assert.deepEqual(await newsAbout(root.id, other.id), ['reply', 'late', `again ${other.id}`]);
  });

  test('pages of news with any filter are all that a look at every post finds', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const roots = [aPost('IDEA: root fir'), aPost('root elm')];
    const posts: Omit<Post, 'createdAt'>[] = [...roots];
    for (let n = 0; n < 120; n++) {
      const target = posts[(n * 7) % posts.length]!;
      const text = `${['', 'RESULT: ', 'REVIEW: '][n % 3]}${['fir', 'elm', 'oak fir'][n % 5] ?? 'ash'} ${n}`;
      posts.push(
        n % 4 === 0 ? aPost(`${text} ${target.id}`) : aReply(target.id, text, { rootId: target.rootId }),
      );
    }
    await addPosts(store, posts);
    for (const hidden of [posts[9]!, posts[30]!]) await hide(store, hidden.id);
    const everything = (await newsOf(store, {}, { limit: 1000 })).items.map(({ record }) => record);
    assert.equal(everything.length, 120);
    const about = posts.slice(0, 4).map(({ id }) => id);
    const filters: NewsFilter[] = [
      { prefix: 'RESULT' },
      { prefix: null },
      { words: ['fir'] },
      { any: [['oak'], ['elm', 'result'], ['no']] },
      { posts: about },
    ].flatMap((filter) => [filter, { ...filter, words: ['fir', 'oak'] }, { posts: about, ...filter }]);
    const after = everything[40]!.createdAt;
    for (const filter of filters) {
      const expected = everything.filter((post) => isNews(post, filter)).map(({ message }) => message);
      for (const limits of [{ limit: 7 }, { limit: 7, maxCandidates: 5 }])
        assert.deepEqual(await readAll(store, filter, limits), expected, JSON.stringify(filter));
      const { items, ...state } = await newsOf(store, filter, { limit: 30 });
      const ofThreads = await store.read.newsOfThreads(filter, { ...LIMITS, limit: 30 });
      const heads = items.map(({ record: { id, prefix, rootId, createdAt } }) => ({
        id,
        prefix,
        rootId,
        createdAt,
      }));
      assert.deepEqual(ofThreads, { items: heads, ...state });
      const later = everything.filter((post) => post.createdAt > after && isNews(post, filter));
      const texts = later.map(({ message }) => message);
      assert.deepEqual(await readAll(store, filter, { after, limit: 3 }), texts);
    }
  });
}
