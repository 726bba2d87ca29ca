import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFailure } from '#store/store.ts';
import { deferred } from '../support/store/deferred.ts';
import { StoreLocation, textsOf, type OpenStore } from '../support/store/place.ts';
import { addPost, aPost, aReply, newId } from '../support/store/records.ts';

export function testWrites(open: OpenStore): void {
  test('a work that throws keeps nothing, and its very error reaches the caller', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'before'));
    const refusal = new Error('no');
    const refused = store.write(async (writer) => {
      await addPost(writer, 'never');
      await writer.hide(id, 'never');
      throw refusal;
    });
    const beside = store.write((writer) => addPost(writer, 'beside'));
    await assert.rejects(refused, (error) => error === refusal);
    await beside;
    for (const reader of [store, await place.open()])
      assert.deepEqual(await textsOf(reader), ['before', 'beside']);
    const thrown = (): Promise<never> => {
      throw refusal;
    };
    await assert.rejects(store.write(thrown), (error) => error === refusal);
  });

  test('a work may append nothing, and gets its answer', async (t) => {
    const store = await new StoreLocation(t, open).open();
    assert.equal(await store.write(async () => 'answer'), 'answer');
    assert.deepEqual(await textsOf(store), []);
  });

  test('a work sees the works before it, and its own decisions', async (t) => {
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

  test('a reader does not see a work before it is kept', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const id = newId('post');
    const [decided, looked] = [deferred(), deferred()];
    const writing = store.write(async (writer) => {
      await writer.append('post', aPost('x', { id, rootId: id }));
      decided.resolve();
      await looked.promise;
    });
    await decided.promise;
    assert.equal(await store.read.find('post', id), undefined);
    looked.resolve();
    await writing;
    assert.ok(await store.read.find('post', id));
  });

  test('a refusal settles no sooner than the work that it saw', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const order: string[] = [];
    const id = newId('post');
    const kept = store.write((writer) => writer.append('post', aPost('x', { id, rootId: id })));
    const refused = store.write(async (writer) => {
      if (await writer.find('post', id)) throw new Error('already there');
    });
    await Promise.all([
      kept.then(() => order.push('kept')),
      assert.rejects(refused, /already there/).then(() => order.push('refused')),
    ]);
    assert.deepEqual(order, ['kept', 'refused']);
  });

  test('close waits for works that wait, and then takes none', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    const works = ['1', '2', '3'].map((text) => store.write((writer) => addPost(writer, text)));
    await store.close();
    assert.equal((await Promise.all(works)).length, 3);
    await assert.rejects(
      store.write((writer) => addPost(writer, 'late')),
      StoreFailure,
    );
    await store.close();
    assert.deepEqual(await textsOf(await place.open()), ['1', '2', '3']);
  });
}
