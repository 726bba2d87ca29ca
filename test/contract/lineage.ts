import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PostHead } from '#store/port/pages.ts';
import type { Post, CountedRecord } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { pageThrough, openFirst, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { addPosts, erase, hide, importEntries, unhide } from '../support/store/writes.ts';

const texts = (page: readonly CountedRecord[]): string[] =>
  (page as CountedRecord<'post'>[]).map(({ record }) => record.message);

const threadOf = async (store: Store, thread: string): Promise<string[]> =>
  texts(await store.read.page('post', { thread, order: 'oldest', limit: 99 }));

const referrersOf = async (store: Store, id: string): Promise<string[]> =>
  (await store.read.referrersOf(id, 20)).map((referrer) => referrer.id);

/** A reply in the thread of its root. */
const below = (root: string, parentId: string, message: string): Omit<Post, 'createdAt'> =>
  aReply(parentId, message, { rootId: root });

/** Imports posts with the given seconds as their timestamps. */
async function importPosts(store: Store, posts: [post: Omit<Post, 'createdAt'>, second: number][]) {
  const entries = posts.map(([post, second]) => ({
    kind: 'post' as const,
    record: { ...post, createdAt: `2020-01-01T00:00:${String(second).padStart(2, '0')}.000000Z` },
  }));
  assert.deepEqual(
    await importEntries(store, entries),
    posts.map(() => 'stored'),
  );
}

async function sizeOf({ read }: Store, rootId: string): Promise<number | undefined> {
  return (await read.related({ sizes: [rootId] })).sizes.get(rootId);
}

export function testLineage(open: OpenStore): void {
  test('a thread is every visible post below its root in the order of time, in pages from either end', async (t) => {
    const { location, store } = await openFirst(t, open);
    const top = aPost('0');
    const first = below(top.id, top.id, '1');
    const deep = below(top.id, first.id, '2');
    const posts = [top, first, deep, ...[3, 4, 5].map((n) => below(top.id, deep.id, String(n)))];
    await addPosts(store, [...posts, aPost('elsewhere')]);
    for (const reader of [store, await location.open()]) {
      const { read } = reader;
      assert.equal(await sizeOf(reader, top.id), 6);
      const oldest = { thread: top.id, order: 'oldest', limit: 2 } as const;
      assert.deepEqual(texts(await pageThrough(reader, 'post', oldest)), ['0', '1', '2', '3', '4', '5']);
      const newest = { ...oldest, order: 'newest' } as const;
      assert.deepEqual(texts(await pageThrough(reader, 'post', newest)), ['5', '4', '3', '2', '1', '0']);
      const [, second, third, fourth] = await read.page('post', { ...oldest, limit: 9 });
      const [after, before] = [second!.record.createdAt, fourth!.record.createdAt];
      assert.deepEqual(texts(await read.page('post', { ...oldest, after, before })), ['2']);
      assert.deepEqual(texts(await read.page('post', { ...newest, after, before })), ['2']);
      // A cursor need not be the timestamp of a post of the thread.
      await hide(store, third!.record.id);
      const between = third!.record.createdAt;
      assert.deepEqual(texts(await read.page('post', { ...oldest, after: between })), ['3', '4']);
      assert.deepEqual(texts(await read.page('post', { ...newest, before: between })), ['1', '0']);
      await unhide(store, third!.record.id);
    }
  });

  test('the tails of threads are their newest visible posts, oldest first', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [top, other, alone] = [aPost('IDEA: 0'), aPost('other'), aPost('alone')];
    const hidden = below(top.id, top.id, 'hidden');
    const named = { ...below(top.id, hidden.id, 'RESULT: 1'), name: 'Fern', mark: '0000000000ab' };
    await addPosts(store, [top, other, hidden, alone, named, below(other.id, other.id, 'last')]);
    await hide(store, hidden.id);
    await hide(store, other.id);
    for (const { read } of [store, await location.open()]) {
      const tailsOf = async (tail?: number): Promise<(readonly PostHead[] | undefined)[]> =>
        (await read.threads({ order: 'newest', limit: 9, ...(tail !== undefined && { tail }) })).items.map(
          (thread) => thread.tail,
        );
      const prefixes = (await tailsOf(2)).map((posts) => posts?.map(({ prefix }) => prefix));
      assert.deepEqual(prefixes, [[null], ['IDEA', 'RESULT'], [null]]);
      const { record } = (await read.find('post', named.id))!;
      assert.deepEqual((await tailsOf(1))[1], [
        {
          id: named.id,
          prefix: 'RESULT',
          name: 'Fern',
          mark: record.mark ?? null,
          createdAt: record.createdAt,
        },
      ]);
      assert.deepEqual(await tailsOf(0), [[], [], []]);
      assert.deepEqual(await tailsOf(), [undefined, undefined, undefined]);
    }
  });

  test('one read has what is known of many posts: visible, hidden, erased and unknown ones', async (t) => {
    const { location, store } = await openFirst(t, open);
    const named = { ...aPost('IDEA: a'), name: 'Fern' };
    const [plain, hidden, gone] = [aPost('b'), aPost('RESULT: c'), aPost('d')];
    await addPosts(store, [named, plain, hidden, gone]);
    await hide(store, hidden.id);
    await erase(store, gone.id);
    // As on a mirror, from which the origin has kept what it had hidden before.
    const absent = newId('post');
    const moderation = {
      action: 'hide',
      id: absent,
      at: '2020-01-01T00:00:00.000000Z',
      reason: 'x',
    } as const;
    await importEntries(store, [moderation]);
    const ids = [...[named, plain, hidden, gone].map(({ id }) => id), absent];
    const asked = [...ids, newId('post'), newId('guest'), '', 'post_\0', 'post_\ud800', ...ids];
    for (const { read } of [store, await location.open()]) {
      const { posts, heads, known, numbers, sizes } = await read.related({
        posts: asked,
        heads: asked,
        known: asked,
      });
      assert.deepEqual(new Set(posts.keys()), new Set(ids.slice(0, 2)));
      assert.deepEqual(posts.get(named.id), await read.find('post', named.id));
      assert.deepEqual(
        heads,
        new Map([
          [named.id, { prefix: 'IDEA', name: 'Fern', rootId: named.id }],
          [plain.id, { prefix: null, name: null, rootId: plain.id }],
        ]),
      );
      assert.deepEqual(known, new Set(ids));
      assert.deepEqual([numbers.size, sizes.size], [0, 0]);
    }
  });

  test('hiding and erasing posts of a thread, its root included, leaves the others in their order', async (t) => {
    const { location, store } = await openFirst(t, open);
    const top = aPost('top');
    const parent = below(top.id, top.id, 'parent');
    const child = below(top.id, parent.id, 'child');
    await addPosts(store, [top, parent, child, below(top.id, top.id, 'last')]);
    const steps: [() => Promise<unknown>, string[]][] = [
      [() => hide(store, parent.id), ['top', 'child', 'last']],
      [() => hide(store, top.id), ['child', 'last']],
      [() => unhide(store, parent.id), ['parent', 'child', 'last']],
      [() => erase(store, parent.id), ['child', 'last']],
      [() => erase(store, top.id), ['child', 'last']],
      [() => addPosts(store, [below(top.id, child.id, 'later')]), ['child', 'last', 'later']],
      [() => hide(store, child.id), ['last', 'later']],
    ];
    for (const [index, [step, expected]] of steps.entries()) {
      await step();
      for (const reader of [store, await location.open()]) {
        assert.deepEqual(await threadOf(reader, top.id), expected, `after step ${index}`);
        assert.equal(await sizeOf(reader, top.id), expected.length, `after step ${index}`);
      }
    }
  });

  test('posts have numbers in their threads, which a hidden one keeps and an erased one does not', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [top, other] = [aPost('top'), aPost('other')];
    const replies = ['a', 'b', 'c'].map((text) => below(top.id, top.id, text));
    await addPosts(store, [top, other, ...replies, below(other.id, other.id, 'elsewhere')]);
    const ids = [top, ...replies, other].map(({ id }) => id);
    const unknown = [newId('post'), '', 'post_\ud800', newId('guest')];
    const steps: [() => Promise<unknown>, (number | undefined)[]][] = [
      [() => Promise.resolve(), [1, 2, 3, 4, 1]],
      [() => hide(store, replies[0]!.id), [1, 2, 3, 4, 1]],
      [() => hide(store, top.id), [1, 2, 3, 4, 1]],
      [() => unhide(store, replies[0]!.id), [1, 2, 3, 4, 1]],
      [() => erase(store, replies[1]!.id), [1, 2, undefined, 3, 1]],
    ];
    for (const [index, [step, expected]] of steps.entries()) {
      await step();
      for (const { read } of [store, await location.open()]) {
        const { numbers } = await read.related({ numbers: [...unknown, ...ids] });
        assert.deepEqual(
          ids.map((id) => numbers.get(id)),
          expected,
          `after step ${index}`,
        );
        assert.deepEqual(
          unknown.filter((id) => numbers.has(id)),
          [],
        );
      }
    }
  });

  test('imported replies stand in a thread by their timestamps, also if they arrive before its root', async (t) => {
    const { location, store } = await openFirst(t, open);
    const top = aPost('top');
    await importPosts(store, [
      [below(top.id, top.id, 'third'), 3],
      [below(top.id, top.id, 'first'), 1],
    ]);
    assert.deepEqual(await threadOf(store, top.id), ['first', 'third']);
    assert.equal(await sizeOf(store, top.id), 2);
    await importPosts(store, [
      [top, 0],
      [below(top.id, top.id, 'second'), 2],
    ]);
    for (const reader of [store, await location.open()]) {
      assert.deepEqual(await threadOf(reader, top.id), ['top', 'first', 'second', 'third']);
      assert.equal(await sizeOf(reader, top.id), 4);
    }
  });

  test('a thread and the referrers of an unknown or malformed id are empty', async (t) => {
    const store = await new StoreLocation(t, open).open();
    for (const id of [newId('post'), '', '__proto__', 'post_\0', 'post_\ud800']) {
      assert.deepEqual(await store.read.referrersOf(id, 20), []);
      assert.equal(await sizeOf(store, id), 0);
    }
    assert.deepEqual(await threadOf(store, newId('post')), []);
  });

  test('referrersOf returns the posts that reply to a post or name it, each once and the newest first', async (t) => {
    const { location, store } = await openFirst(t, open);
    const target = aPost('IDEA: x');
    const naming = aPost(`RESULT: of ${target.id} and ${target.id}`, { mark: 'ABCDEFGH0001' });
    const both = aReply(target.id, `REVIEW: of ${target.id}`);
    const plain = aReply(target.id, 'plain');
    await addPosts(store, [target, naming, both, plain, aPost(`about ${newId('post')}`)]);
    for (const reader of [store, await location.open()]) {
      const referrers = await reader.read.referrersOf(target.id, 20);
      assert.deepEqual(
        referrers.map(({ id, prefix }) => [id, prefix]),
        [
          [plain.id, null],
          [both.id, 'REVIEW'],
          [naming.id, 'RESULT'],
        ],
      );
      const { record } = (await reader.read.find('post', naming.id))!;
      assert.deepEqual(referrers[2], {
        id: naming.id,
        prefix: 'RESULT',
        name: null,
        mark: 'abcdefgh0001',
        createdAt: record.createdAt,
      });
      assert.deepEqual(
        (await reader.read.referrersOf(target.id, 2)).map(({ id }) => id),
        [plain.id, both.id],
      );
    }
  });

  test('of a text that names twenty posts a post refers to the first sixteen, and never to itself', async (t) => {
    const { location, store } = await openFirst(t, open);
    const targets = Array.from({ length: 20 }, () => aPost('target'));
    const names = targets.map(({ id }) => id).join(' ');
    const own = newId('post');
    const first = aPost(`${own} ${names}`, { id: own });
    const reply = aReply(targets[19]!.id, `${targets[0]!.id} ${names}`);
    await addPosts(store, [...targets, first, reply]);
    for (const reader of [store, await location.open()]) {
      assert.deepEqual(await referrersOf(reader, own), []);
      for (const [index, { id }] of targets.entries()) {
        const expected = [
          ...(index < 15 || index === 19 ? [reply.id] : []),
          ...(index < 16 ? [first.id] : []),
        ];
        assert.deepEqual(await referrersOf(reader, id), expected, String(index));
      }
    }
  });

  test('referrers follow hide, unhide and erase, also of a target that arrives after them', async (t) => {
    const { location, store } = await openFirst(t, open);
    const target = aPost('RESULT: x');
    const [reply, naming] = [aReply(target.id, 'reply'), aPost(`RESULT: corrects ${target.id}`)];
    const steps: [() => Promise<unknown>, string[]][] = [
      [() => importPosts(store, [[naming, 9]]), [naming.id]],
      [() => importPosts(store, [[reply, 8]]), [naming.id, reply.id]],
      [() => importPosts(store, [[target, 1]]), [naming.id, reply.id]],
      [() => hide(store, naming.id), [reply.id]],
      [() => unhide(store, naming.id), [naming.id, reply.id]],
      [() => hide(store, target.id), [naming.id, reply.id]],
      [() => erase(store, reply.id), [naming.id]],
      [() => erase(store, target.id), [naming.id]],
      [() => hide(store, naming.id), []],
      [() => unhide(store, naming.id), [naming.id]],
      [() => erase(store, naming.id), []],
    ];
    for (const [index, [step, expected]] of steps.entries()) {
      await step();
      for (const reader of [store, await location.open()])
        assert.deepEqual(await referrersOf(reader, target.id), expected, `after step ${index}`);
    }
  });

  test('writes that are submitted at once with the moderations of their records count as one after the other', async (t) => {
    const { location, store } = await openFirst(t, open);
    const target = aPost('target');
    const [hidden, erased, seen] = ['a', 'b', 'c'].map((text) =>
      below(target.id, target.id, `${text} of ${target.id}`),
    ) as [Omit<Post, 'createdAt'>, Omit<Post, 'createdAt'>, Omit<Post, 'createdAt'>];
    await Promise.all([
      addPosts(store, [target, hidden, erased, seen]),
      hide(store, hidden.id),
      erase(store, erased.id),
    ]);
    for (const reader of [store, await location.open()]) {
      assert.deepEqual(await referrersOf(reader, target.id), [seen.id]);
      assert.equal(await sizeOf(reader, target.id), 2);
    }
    await unhide(store, hidden.id);
    assert.deepEqual(await referrersOf(store, target.id), [seen.id, hidden.id]);
  });
}
