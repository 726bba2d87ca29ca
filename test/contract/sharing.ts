import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Store } from '#store/port/store.ts';
import { openFirst, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, anOrigin, newId } from '../support/store/records.ts';
import {
  addRecord,
  addPost,
  erase,
  hide,
  importEntries,
  unhide,
  idempotentHit,
} from '../support/store/writes.ts';

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

/** @returns everything that reads show, for a comparison. */
async function snapshotOf({ read }: Store): Promise<unknown> {
  const kinds = ['post', 'guest', 'project', 'note'] as const;
  return {
    pages: await Promise.all(kinds.map((kind) => read.page(kind, { order: 'newest', limit: 1000 }))),
    totals: await read.totals(),
    steps: await read.steps(),
    writeAges: [
      await read.recentWriteAges('v', 'feed', 86_400_000, 99),
      await read.recentWriteAges('v', 'porch', 86_400_000, 99),
    ],
  };
}

export function testSharing(open: OpenStore): void {
  test('a write in one store gives another store its new revision, with which reads are cached', async (t) => {
    const location = new StoreLocation(t, open);
    const [writer, reader] = [await location.open(), await location.open()];
    const before = await reader.revision();
    await addPost(writer, 'a');
    const after = await reader.revision();
    assert.ok(before !== undefined && after !== undefined && before < after);
    assert.equal(await reader.revision(), after);
  });

  test('a write in one store is visible to the next read in another store', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()] as const;
    for (let number = 0; number < 20; number++) {
      const [writer, reader] = number % 2 === 0 ? stores : [stores[1], stores[0]];
      const { record } = await addPost(writer, String(number));
      assert.deepEqual((await reader.read.find('post', record.id))?.record, record);
      assert.equal((await reader.read.totals()).posts, number + 1);
    }
  });

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

  test('a reopened store has the same records, totals, moderation and write history', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [idea, result] = [aPost('IDEA: a'), aPost('RESULT: b')];
    const origin = anOrigin('v', { key: 'key-00001' });
    const guest = { id: newId('guest'), name: 'n', kind: null, note: 'x' };
    await Promise.all([
      ...[idea, result].map((post) => addRecord(store, 'post', post, anOrigin('v'))),
      addRecord(store, 'post', aReply(result.id, 'REVIEW: c'), origin),
      addRecord(store, 'guest', guest, anOrigin('v', { limitScope: 'porch' })),
      hide(store, idea.id),
    ]);
    location.clock.advance(5);
    await addRecord(store, 'post', aPost('plain'), origin);
    const before = await snapshotOf(store);
    await store.close();
    const again = await location.open();
    assert.deepEqual(await snapshotOf(again), before);
    assert.equal((await idempotentHit(again, 'post', origin, 1000))?.sameContent, true);
    assert.equal(await hide(again, idea.id, 'x'), false);
  });
}
