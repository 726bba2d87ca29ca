import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure } from '#store/store.ts';
import { deferred } from '../support/store/deferred.ts';
import { StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { addPost, aPost, aReply, newId } from '../support/store/records.ts';

export function testWrites(open: OpenStore): void {
  test('a write that throws stores nothing and rejects with the same error', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'before'));
    const failure = new Error('no');
    const rejected = store.write(async (writer) => {
      await addPost(writer, 'never');
      await writer.hide(id, 'never');
      throw failure;
    });
    const beside = store.write((writer) => addPost(writer, 'beside'));
    await assert.rejects(rejected, (error) => error === failure);
    await beside;
    for (const reader of [store, await location.open()])
      assert.deepEqual(await textsOf(reader), ['before', 'beside']);
    const thrown = (): Promise<never> => {
      throw failure;
    };
    await assert.rejects(store.write(thrown), (error) => error === failure);
  });

  test('a write without changes resolves with its result', async (t) => {
    const store = await new StoreLocation(t, open).open();
    assert.equal(await store.write(async () => 'result'), 'result');
    assert.deepEqual(await textsOf(store), []);
  });

  test('a write sees the accepted writes before it and its own changes', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const [top, reply] = [aPost('top'), aPost('reply')];
    Object.assign(reply, aReply(top.id, 'reply'));
    const children = (id: string) => store.write(async (writer) => (await writer.find('post', id))?.children);
    const seen = [
      store.write(async (writer) => {
        await writer.append('post', top);
        return (await writer.find('post', top.id))?.children;
      }),
      store.write(async (writer) => {
        await writer.append('post', reply);
        const both = [await writer.hide(reply.id, 'x'), await writer.unhide(reply.id, 'x')];
        assert.deepEqual(both, [true, true]);
        return (await writer.find('post', top.id))?.children;
      }),
      children(top.id),
      store.write(async (writer) => {
        await writer.hide(reply.id, 'x');
        assert.equal(await writer.find('post', reply.id), undefined);
        return (await writer.find('post', top.id))?.children;
      }),
      children(top.id),
      store.write(async (writer) => {
        await writer.unhide(reply.id, 'x');
        return (await writer.find('post', top.id))?.children;
      }),
      children(top.id),
    ];
    assert.deepEqual(await Promise.all(seen), [0, 1, 1, 0, 0, 1, 1]);
    assert.equal((await store.read.find('post', top.id))?.children, 1);
  });

  test('a read does not see a write before it is durable', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const id = newId('post');
    const [appended, checked] = [deferred(), deferred()];
    const writing = store.write(async (writer) => {
      await writer.append('post', aPost('x', { id, rootId: id }));
      appended.resolve();
      await checked.promise;
    });
    await appended.promise;
    assert.equal(await store.read.find('post', id), undefined);
    checked.resolve();
    await writing;
    assert.ok(await store.read.find('post', id));
  });

  test('a write that throws rejects only after the writes that it saw are durable', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const order: string[] = [];
    const id = newId('post');
    const stored = store.write((writer) => writer.append('post', aPost('x', { id, rootId: id })));
    const refused = store.write(async (writer) => {
      if (await writer.find('post', id)) throw new Error('already there');
    });
    await Promise.all([
      stored.then(() => order.push('stored')),
      assert.rejects(refused, /already there/).then(() => order.push('rejected')),
    ]);
    assert.deepEqual(order, ['stored', 'rejected']);
  });

  test('close waits for queued writes, and later writes are rejected', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const writes = ['1', '2', '3'].map((text) => store.write((writer) => addPost(writer, text)));
    await store.close();
    assert.equal((await Promise.all(writes)).length, 3);
    await assert.rejects(
      store.write((writer) => addPost(writer, 'late')),
      StoreFailure,
    );
    await store.close();
    assert.deepEqual(await textsOf(await location.open()), ['1', '2', '3']);
  });
}
