import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Store } from '#store/store.ts';
import { StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { addPost, aPost, aReply, anOrigin, newId } from '../support/store/records.ts';

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
    unanswered: [await read.unanswered('IDEA', 99), await read.unanswered('RESULT', 99)],
    writeAges: [
      await read.recentWriteAges('v', 'feed', 86_400_000, 99),
      await read.recentWriteAges('v', 'porch', 86_400_000, 99),
    ],
  };
}

export function testSharing(open: OpenStore): void {
  test('a write in one store is visible to the next read in another store', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()] as const;
    for (let number = 0; number < 20; number++) {
      const [writer, reader] = number % 2 === 0 ? stores : [stores[1], stores[0]];
      const { record } = await writer.write((transaction) => addPost(transaction, String(number)));
      assert.deepEqual((await reader.read.find('post', record.id))?.record, record);
      assert.equal((await reader.read.totals()).posts, number + 1);
    }
  });

  test('watch notifies every store of each change once, and a read in the listener sees the change', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()] as const;
    const notified = stores.map((store) => nextChanges(store, 6));
    const visible = stores.map(
      (store) =>
        new Promise<boolean>((resolve) => {
          const stop = store.watch(({ id }) => {
            stop();
            resolve(store.read.find('post', id).then((view) => view !== undefined));
          });
        }),
    );
    const top = aPost('top');
    const reply = aReply(top.id, 'reply');
    const second = { ...aReply(reply.id, 'to the reply'), rootId: top.id };
    const third = { ...aReply(second.id, 'deep down'), rootId: top.id };
    await stores[0].write((writer) => writer.append('post', top));
    for (const post of [reply, second, third]) await stores[1].write((writer) => writer.append('post', post));
    await stores[0].write((writer) => writer.hide(reply.id, 'x'));
    await stores[1].write((writer) => writer.unhide(reply.id, 'x'));
    const expected = [
      { action: 'add', kind: 'post', id: top.id, ancestors: [] },
      { action: 'add', kind: 'post', id: reply.id, ancestors: [top.id] },
      { action: 'add', kind: 'post', id: second.id, ancestors: [reply.id, top.id] },
      { action: 'add', kind: 'post', id: third.id, ancestors: [second.id, reply.id, top.id] },
      { action: 'hide', kind: 'post', id: reply.id, ancestors: [top.id] },
      { action: 'unhide', kind: 'post', id: reply.id, ancestors: [top.id] },
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
    const writes = ['1', '2'].map((text) => store.write((writer) => addPost(writer, text)));
    await Promise.all(writes);
    stop();
    await store.write((writer) => addPost(writer, '3'));
    assert.equal(calls, 2);
    assert.deepEqual(await textsOf(store), ['1', '2', '3']);
  });

  test('a reopened store has the same records, totals, moderation and write history', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const [idea, result] = [aPost('IDEA: a'), aPost('RESULT: b')];
    const origin = anOrigin('v', { key: 'key-00001' });
    await store.write(async (writer) => {
      for (const post of [idea, result]) await writer.append('post', post, anOrigin('v'));
      await writer.append('post', aReply(result.id, 'REVIEW: c'), origin);
      await writer.append(
        'guest',
        { id: newId('guest'), name: 'n', kind: null, note: 'x' },
        anOrigin('v', { limitScope: 'porch' }),
      );
      await writer.hide(idea.id, 'x');
    });
    location.clock.advance(5);
    await store.write((writer) => writer.append('post', aPost('plain'), origin));
    const before = await snapshotOf(store);
    await store.close();
    const again = await location.open();
    assert.deepEqual(await snapshotOf(again), before);
    assert.equal(
      (await again.write((writer) => writer.idempotentHit('post', origin, 1000)))?.sameContent,
      true,
    );
    assert.equal(await again.write((writer) => writer.hide(idea.id, 'x')), false);
  });
}
