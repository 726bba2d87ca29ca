import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ThreadHead } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import {
  pageThroughThreads,
  openFirst,
  StoreLocation,
  type OpenStore,
} from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPosts, erase, hide, importEntries, unhide } from '../support/store/writes.ts';

const ALL = { order: 'newest', limit: 100 } as const;

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
  test('a first post that arrived hidden is a thread once it is unhidden', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const post = aPost('x');
    const moderate = (action: 'hide' | 'unhide', second: number) => ({
      ...{ action, id: post.id, reason: 'x' },
      at: `2026-11-20T10:00:0${second}.000000Z`,
    });
    await importEntries(store, [moderate('hide', 1)]);
    await importPosts(store, [[post, '09:00:00']]);
    assert.deepEqual(await threadsOf(store), []);
    await importEntries(store, [moderate('unhide', 2)]);
    assert.deepEqual(await threadsOf(store), ['x 1']);
  });

  test('threads are listed by their last visible post, newest first, with their first post and size', async (t) => {
    const { location, store } = await openFirst(t, open);
    assert.deepEqual(await store.read.threads(ALL), { items: [], latest: null });
    const [a, b, c] = [aPost('a'), aPost('RESULT: b'), aPost('c')];
    const reply = below(a.id, 'reply');
    const last = below(a.id, 'deep', reply.id);
    await addPosts(store, [a, b, reply, c, below(b.id, 'RESULT: corrects b'), last]);
    for (const reader of [store, await location.open()]) {
      const { items, latest } = await reader.read.threads(ALL);
      assert.equal(latest, items[0]!.lastAt);
      assert.deepEqual(summaryOf(items), ['a 3', 'RESULT: b 2', 'c 1']);
      for (const { post } of items)
        assert.deepEqual(post, await reader.read.find('post', post.record.id), 'as a read returns it');
      const { record } = (await reader.read.find('post', last.id))!;
      assert.equal(items[0]!.lastAt, record.createdAt);
      assert.equal(items[0]!.lastId, last.id);
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
    for (const limit of [1, 5, 12]) {
      assert.deepEqual(await pageThroughThreads(store, { order: 'newest', limit }), whole);
      const oldest = await pageThroughThreads(store, { order: 'oldest', limit });
      assert.deepEqual(
        oldest.map(({ post, size, lastAt, lastId }) => ({ post, size, lastAt, lastId })),
        whole.toReversed(),
      );
    }
    const [after, before] = [whole[9]!.lastAt, whole[2]!.lastAt];
    const between = await pageThroughThreads(store, { order: 'newest', after, before, limit: 3 });
    assert.deepEqual(
      between.map(({ lastAt }) => lastAt),
      whole.slice(3, 9).map(({ lastAt }) => lastAt),
    );
  });

  test('hiding and erasing posts moves a thread to its last visible post, and shows its oldest visible one', async (t) => {
    const { location, store } = await openFirst(t, open);
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
    const { location, store } = await openFirst(t, open);
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

  test('threads without some posts are those that a look at every post finds, also while posts come and go', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()];
    const [store] = stores;
    const roots = Array.from({ length: 6 }, (_, n) => aPost(`root ${n}`));
    await addPosts(store!, roots);
    const ids = roots.map(({ id }) => id);
    for (let step = 0; step < 12; step++) {
      const replies = Array.from({ length: 5 }, (_, n) => {
        const text = `${['', 'RESULT: ', 'WORK: '][(step + n) % 3]}reply`;
        return below(roots[(step * n + n) % roots.length]!.id, text);
      });
      await addPosts(store!, replies);
      ids.push(...replies.map(({ id }) => id));
      const some = ids[(step * 7) % ids.length]!;
      if (step % 3 === 0) await hide(store!, some);
      if (step % 6 === 3) await unhide(store!, ids[((step - 3) * 7) % (ids.length - 15)]!);
      if (step % 5 === 4) await erase(store!, some);
      const posts = (await store!.read.page('post', { order: 'oldest', limit: 999 })).map(
        ({ record }) => record,
      );
      const except = ids.filter((_, index) => (index * step) % 4 === 1).slice(-20);
      const after = posts[(step * 3) % posts.length]!.createdAt;
      for (const { read } of stores) {
        for (const order of ['oldest', 'newest'] as const) {
          const others = [...except, 'post_\u0000', newId('post')];
          const { items } = await read.threads({ order, after, except: others, limit: 4 });
          const found = items.map(({ post, lastAt, news }) => ({ rootId: post.record.rootId, lastAt, news }));
          assert.deepEqual(found, threadsByHand(posts, order, after, except).slice(0, 4), `step ${step}`);
        }
      }
    }
  });
}

/** @returns what is new in the threads of some posts, which are given oldest first */
function threadsByHand(
  posts: readonly Post[],
  order: 'oldest' | 'newest',
  after: string,
  except: readonly string[],
) {
  const threads = new Map<string, Post[]>();
  for (const post of posts)
    if (post.createdAt > after && !except.includes(post.id))
      threads.set(post.rootId, [...(threads.get(post.rootId) ?? []), post]);
  const found = [...threads].map(([rootId, news]) => {
    const byPrefix: Record<string, number> = {};
    for (const { prefix } of news) byPrefix[prefix ?? 'none'] = (byPrefix[prefix ?? 'none'] ?? 0) + 1;
    const newestResult = news.findLast(({ prefix }) => prefix === 'RESULT')?.id ?? null;
    return { rootId, lastAt: news.at(-1)!.createdAt, news: { count: news.length, byPrefix, newestResult } };
  });
  const oldest = found.toSorted((one, other) => (one.lastAt < other.lastAt ? -1 : 1));
  return order === 'oldest' ? oldest : oldest.reverse();
}
