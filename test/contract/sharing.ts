import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Range } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Change, Store } from '#store/port/store.ts';
import { pageThrough, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { addPost, addPosts, addRecord, erase, hide, importEntries, unhide } from '../support/store/writes.ts';

/** @returns the next `count` changes that a store notifies of */
function nextChanges(store: Store, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  return new Promise((resolve) => {
    const stop = store.watch((change) => {
      changes.push(change);
      if (changes.length < count) return;
      stop();
      resolve(changes);
    });
  });
}

const textsOfPages = (store: Store, range: Range, between: () => Promise<unknown>): Promise<string[]> =>
  pageThrough(store, 'post', range, between).then((page) =>
    page.map(({ record }) => (record as Post).message),
  );

export function testSharing(open: OpenStore): void {
  test('watch notifies every store of each change once, and a read in the listener sees the change', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()] as const;
    const notified = stores.map((store) => nextChanges(store, 9));
    const visible = stores.map(
      (store) =>
        new Promise<boolean>((resolve) => {
          const stop = store.watch(({ id }) => {
            stop();
            resolve(store.read.find('post', id).then((found) => found !== undefined));
          });
        }),
    );
    const top = aPost('top');
    const reply = aReply(top.id, 'reply');
    const second = { ...aReply(reply.id, 'to the reply'), rootId: top.id };
    const third = { ...aReply(second.id, 'deep down'), rootId: top.id };
    await addRecord(stores[0], 'post', top);
    for (const post of [reply, second, third]) await addRecord(stores[1], 'post', post);
    await hide(stores[0], reply.id, 'x');
    await unhide(stores[1], reply.id, 'x');
    await hide(stores[1], third.id);
    const naming = aReply(top.id, `about ${second.id} and ${top.id}`);
    await addRecord(stores[0], 'post', naming);
    await hide(stores[1], naming.id);
    const expected = [
      { action: 'add', kind: 'post', id: top.id, ancestors: [] },
      { action: 'add', kind: 'post', id: reply.id, ancestors: [top.id] },
      { action: 'add', kind: 'post', id: second.id, ancestors: [reply.id, top.id] },
      { action: 'add', kind: 'post', id: third.id, ancestors: [second.id, reply.id, top.id] },
      { action: 'hide', kind: 'post', id: reply.id, ancestors: [top.id] },
      { action: 'unhide', kind: 'post', id: reply.id, ancestors: [top.id] },
      { action: 'hide', kind: 'post', id: third.id, ancestors: [second.id, reply.id, top.id] },
      { action: 'add', kind: 'post', id: naming.id, ancestors: [top.id, second.id] },
      { action: 'hide', kind: 'post', id: naming.id, ancestors: [top.id, second.id] },
    ];
    assert.deepEqual(await Promise.all(notified), [expected, expected]);
    assert.deepEqual(await Promise.all(visible), [true, true]);
  });

  test('a removed listener is not called again, and an error of a listener does not affect writes', async (t) => {
    const store = await new StoreLocation(t, open).open();
    let calls = 0;
    const stop = store.watch(() => {
      calls += 1;
    });
    store.watch(() => {
      throw new Error('a bug');
    });
    const writes = ['1', '2'].map((text) => addPost(store, text));
    await Promise.all(writes);
    stop();
    await addPost(store, '3');
    assert.equal(calls, 2);
    assert.deepEqual(await textsOf(store), ['1', '2', '3']);
  });

  test('watch names no grandparent of a reply to a post that was erased before, also in the same batch', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const root = aPost('the root');
    const top = aReply(root.id, 'a reply', { rootId: root.id });
    const gone = aReply(top.id, 'an erased one', { rootId: root.id });
    const plain = aReply(gone.id, 'a reply to it', { rootId: root.id });
    const naming = aReply(gone.id, `about ${top.id}`, { rootId: root.id });
    for (const post of [root, top, gone, plain, naming]) await addRecord(store, 'post', post);
    const notified = nextChanges(store, 5);
    // The batch of the first write begins at once, and what is submitted meanwhile shares the next one.
    await Promise.all([
      hide(store, top.id),
      hide(store, plain.id),
      erase(store, gone.id),
      unhide(store, plain.id),
      hide(store, naming.id),
    ]);
    assert.deepEqual(
      (await notified).map(({ id, ancestors }) => [id, ...ancestors]),
      [
        [top.id, root.id],
        [plain.id, gone.id, top.id, root.id],
        [gone.id, top.id, root.id],
        [plain.id, gone.id, root.id],
        [naming.id, gone.id, root.id, top.id],
      ],
    );
  });

  test('watch names no ancestors of an erased record that an imported moderation names', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const { record: parent } = await addPost(store, 'a post');
    const { record: reply } = await addRecord(store, 'post', aReply(parent.id, 'a reply'));
    await erase(store, reply.id);
    const notified = nextChanges(store, 1);
    await importEntries(store, [
      { action: 'hide', id: reply.id, at: '2026-11-20T00:00:00.000000Z', reason: 'a test' },
    ]);
    assert.deepEqual(await notified, [{ action: 'hide', kind: 'post', id: reply.id, ancestors: [] }]);
  });

  test('paging while another store appends neither skips nor repeats a record', async (t) => {
    const location = new StoreLocation(t, open);
    const [store, other] = [await location.open(), await location.open()];
    await addPosts(
      store,
      Array.from({ length: 50 }, (_, n) => aPost(String(n))),
    );
    for (const limit of [1, 7]) {
      const before = (await textsOf(store)).reverse();
      const append = (): Promise<unknown> => addPost(other, 'later');
      assert.deepEqual(await textsOfPages(store, { order: 'newest', limit }, append), before);
    }
    let remaining = 20;
    const append = async (): Promise<void> => {
      if (remaining-- > 0) await addPost(other, 'much later');
    };
    const seen = await textsOfPages(store, { order: 'oldest', limit: 7 }, append);
    assert.deepEqual(seen, await textsOf(store));
    assert.equal(seen.filter((text) => text === 'much later').length, 20);
  });
}
