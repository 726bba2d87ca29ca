import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Store } from '#store/store.ts';
import { StoreLocation, textsOf, type OpenStore } from '../support/store/place.ts';
import { addPost, aPost, aReply, anOrigin, newId } from '../support/store/records.ts';

/** @returns the next so many changes that a store tells of. */
function told(store: Store, count: number): Promise<Change[]> {
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

async function pictureOf({ read }: Store): Promise<unknown> {
  const kinds = ['post', 'guest', 'project', 'note'] as const;
  return {
    pages: await Promise.all(kinds.map((kind) => read.page(kind, { order: 'newest', limit: 1000 }))),
    totals: await read.totals(),
    unanswered: [await read.unanswered('IDEA', 99), await read.unanswered('RESULT', 99)],
    windows: [
      await read.recentWriteAges('v', 'feed', 86_400_000, 99),
      await read.recentWriteAges('v', 'porch', 86_400_000, 99),
    ],
  };
}

export function testSharing(open: OpenStore): void {
  test('a write in one store is seen by the very next read in the other', async (t) => {
    const place = new StoreLocation(t, open);
    const stores = [await place.open(), await place.open()] as const;
    for (let number = 0; number < 20; number++) {
      const [writer, reader] = number % 2 === 0 ? stores : [stores[1], stores[0]];
      const { record } = await writer.write((draft) => addPost(draft, String(number)));
      assert.deepEqual((await reader.read.find('post', record.id))?.record, record);
      assert.equal((await reader.read.totals()).posts, number + 1);
    }
  });

  test('watch tells both stores of every change, once, and a listener already sees what it is told of', async (t) => {
    const place = new StoreLocation(t, open);
    const stores = [await place.open(), await place.open()] as const;
    const heard = stores.map((store) => told(store, 6));
    const sights = stores.map(
      (store) =>
        new Promise<boolean>((resolve) => {
          const stop = store.watch(({ id }) => {
            stop();
            resolve(store.read.find('post', id).then((kept) => kept !== undefined));
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
    assert.deepEqual(await Promise.all(heard), [expected, expected]);
    assert.deepEqual(await Promise.all(sights), [true, true]);
  });

  test('who stops listening is told no more, and a listener that fails does no harm', async (t) => {
    const store = await new StoreLocation(t, open).open();
    let heard = 0;
    const stop = store.watch(() => {
      heard += 1;
    });
    store.watch(() => {
      throw new Error('a bug');
    });
    const works = ['1', '2'].map((text) => store.write((writer) => addPost(writer, text)));
    await Promise.all(works);
    stop();
    await store.write((writer) => addPost(writer, '3'));
    assert.equal(heard, 2);
    assert.deepEqual(await textsOf(store), ['1', '2', '3']);
  });

  test('a store that is opened again is as it was, down to who wrote what', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    const [idea, result] = [aPost('IDEA: a'), aPost('RESULT: b')];
    const trace = anOrigin('v', { key: 'key-00001' });
    await store.write(async (writer) => {
      for (const post of [idea, result]) await writer.append('post', post, anOrigin('v'));
      await writer.append('post', aReply(result.id, 'REVIEW: c'), trace);
      await writer.append(
        'guest',
        { id: newId('guest'), name: 'n', kind: null, note: 'x' },
        anOrigin('v', { limitScope: 'porch' }),
      );
      await writer.hide(idea.id, 'x');
    });
    place.clock.advance(5);
    await store.write((writer) => writer.append('post', aPost('plain'), trace));
    const before = await pictureOf(store);
    await store.close();
    const again = await place.open();
    assert.deepEqual(await pictureOf(again), before);
    assert.equal(
      (await again.write((writer) => writer.idempotentHit('post', trace, 1000)))?.sameContent,
      true,
    );
    assert.equal(await again.write((writer) => writer.hide(idea.id, 'x')), false);
  });
}
