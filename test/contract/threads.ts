import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Post, Store, ThreadHead } from '#store/store.ts';
import { pageThroughThreads, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { addPosts, erase, hide, importEntries, unhide } from '../support/store/writes.ts';

const ALL = { limit: 100, maxCandidates: 1000 };

const below = (root: string, message: string, parentId = root): Omit<Post, 'createdAt'> =>
  aReply(parentId, message, { rootId: root });

/** @returns for each thread the message of its post, and its size */
const summaryOf = (threads: readonly ThreadHead[]): string[] =>
  threads.map(({ post, size }) => `${post.record.message} ${size}`);

const threadsOf = async ({ read }: Store): Promise<string[]> => summaryOf((await read.threads(ALL)).items);

/** Imports posts that were published at the given times of one day. */
async function importPosts(store: Store, posts: readonly [Omit<Post, 'createdAt'>, time: string][]) {
  const outcomes = await importEntries(
    store,
    posts.map(([post, time]) => ({
      kind: 'post',
      record: { ...post, createdAt: `2026-11-20T${time}.000000Z` },
    })),
  );
  assert.deepEqual(
    outcomes,
    posts.map(() => 'stored'),
  );
}

export function testThreads(open: OpenStore): void {
  test('threads are listed by their last visible post, newest first, with their first post and size', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    assert.deepEqual(await store.read.threads(ALL), { items: [], examinedTo: null });
    const [a, b, c] = [aPost('a'), aPost('RESULT: b'), aPost('c')];
    const reply = below(a.id, 'reply');
    const last = below(a.id, 'deep', reply.id);
    await addPosts(store, [a, b, reply, c, below(b.id, 'RESULT: corrects b'), last]);
    for (const reader of [store, await location.open()]) {
      const { items, examinedTo } = await reader.read.threads(ALL);
      assert.equal(examinedTo, null);
      assert.deepEqual(summaryOf(items), ['a 3', 'RESULT: b 2', 'c 1']);
      for (const { post } of items)
        assert.deepEqual(post, await reader.read.find('post', post.record.id), 'the view of a read');
      const { record } = (await reader.read.find('post', last.id))!;
      assert.equal(items[0]!.lastAt, record.createdAt);
    }
  });

  test('pages of threads return each thread exactly once, whatever their limits', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const roots = Array.from({ length: 12 }, (_, n) => aPost(String(n)));
    const replies = Array.from({ length: 60 }, (_, n) => below(roots[(n * n) % 10]!.id, 'reply'));
    await addPosts(store, [...roots, ...replies]);
    const whole = await pageThroughThreads(store, ALL);
    assert.equal(whole.length, roots.length);
    assert.deepEqual(
      whole,
      whole.toSorted((one, other) => (one.lastAt < other.lastAt ? 1 : -1)),
    );
    for (const limit of [1, 5, 12])
      for (const maxCandidates of [1, 7, 72])
        assert.deepEqual(await pageThroughThreads(store, { limit, maxCandidates }), whole);
  });

  test('a page of threads ends after the posts that it may look at, even without a thread', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [a, b] = [aPost('a'), aPost('b')];
    await addPosts(store, [a, b, below(a.id, '1'), below(a.id, '2'), below(a.id, '3')]);
    const [, , second, third] = await store.read.page('post', { order: 'oldest', limit: 9 });
    const before = (await store.read.threads({ limit: 1, maxCandidates: 9 })).examinedTo!;
    const page = await store.read.threads({ before, limit: 1, maxCandidates: 2 });
    assert.deepEqual(page, { items: [], examinedTo: second!.record.createdAt });
    const one = await store.read.threads({ before, limit: 1, maxCandidates: 1 });
    assert.deepEqual(one, { items: [], examinedTo: third!.record.createdAt });
    const rest = await store.read.threads({ before, limit: 2, maxCandidates: 9 });
    assert.deepEqual([summaryOf(rest.items), rest.examinedTo], [['b 1'], null]);
  });

  test('hiding and erasing posts moves a thread to its last visible post, and shows its oldest visible one', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const [top, other] = [aPost('top'), aPost('other')];
    const [first, last] = [below(top.id, 'first'), below(top.id, 'last')];
    await addPosts(store, [top, first, other, last]);
    const steps: [() => Promise<unknown>, string[]][] = [
      [() => hide(store, last.id), ['other 1', 'top 2']],
      [() => hide(store, top.id), ['other 1', 'first 1']],
      [() => unhide(store, last.id), ['first 2', 'other 1']],
      [() => erase(store, first.id), ['last 1', 'other 1']],
      [() => unhide(store, top.id), ['top 2', 'other 1']],
      [() => erase(store, top.id), ['last 1', 'other 1']],
      [() => hide(store, last.id), ['other 1']],
      [() => addPosts(store, [below(top.id, 'later', last.id)]), ['later 1', 'other 1']],
    ];
    for (const [index, [step, expected]] of steps.entries()) {
      await step();
      for (const reader of [store, await location.open()])
        assert.deepEqual(await threadsOf(reader), expected, `after step ${index}`);
    }
  });

  test('an imported thread is listed by its timestamps, whatever order its posts arrive in', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const [top, other] = [aPost('top'), aPost('other')];
    await importPosts(store, [
      [below(top.id, 'last'), '23:59:59'],
      [below(top.id, 'first'), '01:00:00'],
      [other, '12:00:00'],
    ]);
    assert.deepEqual(await threadsOf(store), ['first 2', 'other 1']);
    await importPosts(store, [
      [top, '02:00:00'],
      [below(top.id, 'between'), '11:00:00'],
    ]);
    for (const reader of [store, await location.open()])
      assert.deepEqual(await threadsOf(reader), ['top 4', 'other 1']);
  });

  test('a bound of threads may be a date alone, which is before every timestamp of that day', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await importPosts(store, [
      [aPost('midnight'), '00:00:00'],
      [aPost('evening'), '23:59:59'],
    ]);
    const before = async (day: string): Promise<string[]> =>
      summaryOf((await store.read.threads({ ...ALL, before: day })).items);
    assert.deepEqual(await before('2026-11-21'), ['evening 1', 'midnight 1']);
    assert.deepEqual(await before('2026-11-20'), []);
  });
}
