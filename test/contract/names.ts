import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookOf } from '#message/look.ts';
import { HOLD_PREFIX, type Post } from '#store/port/records.ts';
import type { NameOwner } from '#store/port/lookups.ts';
import type { Store } from '#store/port/store.ts';
import { SeededRandom } from '../torture/support/random.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import {
  addPosts,
  addRecord,
  erase,
  hide,
  importEntries,
  lookUp,
  lookupsOf,
  unhide,
} from '../support/store/writes.ts';

const HELD = `${HOLD_PREFIX} 2026-11-22T10:49Z: a test`;
const MINTED = 'ABCDEFGH0001';
const SENT = 'abcdefgh0001';
const OTHER = 'zyxwvtsr0002';

const ownerOf = (
  store: Store,
  postId: string,
  name: string,
  marks: readonly string[] = [SENT, OTHER],
): Promise<NameOwner | undefined> => lookUp(store, { type: 'nameOwner', postId, look: lookOf(name), marks });

/** What a test compares: id, mark, whether it is visible. */
async function summaryOf(store: Store, postId: string, name: string): Promise<unknown[] | undefined> {
  const owner = await ownerOf(store, postId, name);
  return owner && [owner.id, owner.mark, owner.isVisible];
}

export function testNames(open: OpenStore): void {
  test('the owner of a name is the first post of its look that one of the keys was sent with, by whatever post one asks', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const top = aPost('top', { name: 'Alder', mark: SENT });
    const reply = aReply(top.id, 'reply', { name: 'Ald\u0435r', mark: OTHER });
    const elsewhere = aPost('elsewhere', { name: 'Birch', mark: SENT });
    await addPosts(store, [top, reply, elsewhere, aReply(top.id, 'without a name', { mark: OTHER })]);
    for (const reader of [store, await location.open()]) {
      for (const postId of [top.id, reply.id])
        assert.deepEqual(await summaryOf(reader, postId, 'ALDER '), [top.id, SENT, true]);
      assert.equal(await summaryOf(reader, top.id, 'Birch'), undefined);
      assert.equal(await summaryOf(reader, 'post_unknown', 'Alder'), undefined);
      assert.equal(await summaryOf(reader, 'post_\0', 'Alder'), undefined);
    }
    assert.equal((await ownerOf(store, top.id, 'Alder'))?.createdAt, '2026-11-21T10:49:32.123000Z');
    assert.equal((await ownerOf(store, top.id, 'Alder', [OTHER]))?.id, reply.id);
    assert.equal(await ownerOf(store, top.id, 'Alder', []), undefined);
  });

  test('a post with a minted key owns no name, also once that key was sent', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const top = aPost('top', { name: 'Alder', mark: MINTED });
    await addPosts(store, [top, aReply(top.id, 'here', { mark: SENT })]);
    assert.equal(await summaryOf(store, top.id, 'Alder'), undefined);
    const later = aReply(top.id, 'here', { name: 'Alder', mark: SENT });
    await addPosts(store, [later]);
    for (const reader of [store, await location.open()])
      assert.deepEqual(await summaryOf(reader, top.id, 'Alder'), [later.id, SENT, true]);
  });

  test('a post that reports hold keeps its name, one that the operator hid or erased has none', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const top = aPost('top', { name: 'Alder', mark: SENT });
    const second = aReply(top.id, 'second', { name: 'alder', mark: OTHER });
    await addPosts(store, [top, second]);
    await hide(store, top.id, HELD);
    assert.deepEqual(await summaryOf(store, second.id, 'Alder'), [top.id, SENT, false]);
    await hide(store, top.id);
    assert.deepEqual(await summaryOf(store, second.id, 'Alder'), [second.id, OTHER, true]);
    await unhide(store, top.id);
    assert.deepEqual(await summaryOf(store, second.id, 'Alder'), [top.id, SENT, true]);
    await erase(store, top.id);
    for (const reader of [store, await location.open()])
      assert.deepEqual(await summaryOf(reader, second.id, 'Alder'), [second.id, OTHER, true]);
  });

  test('a write sees the owners that earlier writes of its batch made', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const top = aPost('top', { name: 'Alder', mark: MINTED });
    await addPosts(store, [top]);
    const birch = aReply(top.id, 'birch', { name: 'Birch', mark: OTHER });
    const [none, , after] = await Promise.all([
      summaryOf(store, top.id, 'Birch'),
      addPosts(store, [birch]),
      summaryOf(store, top.id, 'BIRCH'),
    ]);
    assert.equal(none, undefined);
    assert.deepEqual(after, [birch.id, OTHER, true]);
  });

  test('of two instances that take one name at once exactly one gets it, in 50 rounds', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()];
    const top = aPost('top');
    await addPosts(stores[0]!, [top]);
    const take = (store: Store, name: string, mark: string): Promise<boolean> => {
      const post = aReply(top.id, 'x', { name, mark });
      const lookups = {
        ...lookupsOf(post),
        owner: { type: 'nameOwner', postId: top.id, look: lookOf(name), marks: [SENT, OTHER] },
      } as const;
      return store.write(lookups, ({ owner, timestamp }) =>
        owner === undefined
          ? {
              answer: true,
              operation: { action: 'add', kind: 'post', record: { ...post, createdAt: timestamp } },
            }
          : { answer: false },
      );
    };
    for (let round = 0; round < 50; round++) {
      const taken = await Promise.all(
        // Two calls each, so that some of them share a batch.
        [...stores, ...stores].map((store, n) => take(store, `Alder ${round}`, n % 2 === 0 ? SENT : OTHER)),
      );
      assert.equal(taken.filter(Boolean).length, 1, `round ${round}: ${taken.join(', ')}`);
    }
  });

  test('heads of posts that refer to another have their marks', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const top = aPost('top');
    const posts = [MINTED, SENT, undefined].map((mark) =>
      aReply(top.id, 'x', mark === undefined ? {} : { mark }),
    );
    await addPosts(store, [top, ...posts]);
    const heads = await store.read.referrersOf(top.id, 9);
    assert.deepEqual(
      heads.map(({ mark }) => mark),
      [null, SENT, MINTED],
    );
  });

  test('owners follow from all posts of a thread, in any order of arrival and moderation', async (t) => {
    const random = new SeededRandom(11);
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const names = ['Alder', 'alder ', 'Birch', 'B1rch', 'राम', 'रमा', '🌲'];
    const marks = [MINTED, SENT, OTHER, OTHER.toUpperCase(), 'AAAAAAAAAAAA', 'BBBBBBBBBBBB', undefined];
    const root = { ...aPost('top'), createdAt: '2026-11-01T00:00:00.000000Z' };
    await importEntries(store, [{ kind: 'post', record: root }]);
    const posts: Post[] = [];
    const states = new Map<string, 'visible' | 'held' | 'gone'>();
    for (let step = 0; step < 120; step++) {
      const roll = random.below(10);
      const moderated = posts[random.below(Math.max(1, posts.length))];
      if (roll < 5 || moderated === undefined) {
        const mark = marks[random.below(marks.length)];
        const post = aReply(root.id, 'x', {
          name: names[random.below(names.length)]!,
          ...(mark !== undefined && { mark }),
        });
        if (roll < 3) posts.push((await addRecord(store, 'post', post)).record);
        else {
          const createdAt = `2026-11-0${1 + random.below(9)}T00:00:00.${String(step).padStart(6, '0')}Z`;
          await importEntries(store, [{ kind: 'post', record: { ...post, createdAt } }]);
          posts.push({ ...post, createdAt });
        }
        states.set(post.id, 'visible');
      } else if (states.get(moderated.id) !== 'gone' || roll > 8) {
        const held = roll < 7;
        const isVisible = states.get(moderated.id) === 'visible';
        if (isVisible && (await hide(store, moderated.id, held ? HELD : 'a test')))
          states.set(moderated.id, held ? 'held' : 'gone');
        else if (!isVisible && (await unhide(store, moderated.id))) states.set(moderated.id, 'visible');
      }
      const counted = posts
        .filter(({ id }) => states.get(id) !== 'gone')
        .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      for (const name of names) {
        const first = counted.find(
          ({ name: own, mark }) => lookOf(own ?? '') === lookOf(name) && (mark === SENT || mark === OTHER),
        );
        const expected = first && {
          id: first.id,
          mark: first.mark,
          createdAt: first.createdAt,
          isVisible: states.get(first.id) === 'visible',
        };
        assert.deepEqual(await ownerOf(store, root.id, name), expected, `step ${step}, ${name}`);
      }
    }
  });
}
