import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '#store/folder/item.ts';
import { State } from '#store/folder/state.ts';
import { post, startOne } from '../../../support/store/machine.ts';
import { aPost } from '../../../support/store/records.ts';
import { erase } from '../../../support/store/writes.ts';

test('a post that arrived since the folder was opened is read from memory until it is erased', async (t) => {
  const [machine, a] = await startOne(t);
  const b = await machine.start();
  const { record } = await post(a, 'a text');
  for (const { store } of [a, b]) {
    const found = await store.read.find('post', record.id);
    assert.deepEqual(found?.record, record);
    assert.equal((await store.read.posts([record.id]))[0]?.record, found.record);
  }
  await erase(b.store, record.id);
  for (const { store } of [a, b]) assert.equal(await store.read.find('post', record.id), undefined);
  await machine.stop();
});

test('the texts in memory have a bound, whatever the length of each: what was asked for longest ago leaves first', () => {
  for (const message of ['', 'x'.repeat(20_000)]) {
    const { recent } = new State();
    const items = Array.from({ length: 40_000 }, () => ({}) as Item);
    for (const item of items) recent.set(item, { ...aPost('x'), message, createdAt: '' });
    const kept = items.filter((item) => recent.get(item) !== undefined);
    assert.deepEqual(kept, items.slice(-kept.length));
    assert.ok(kept.length > 100 && kept.length * (message.length + 400) < 16_000_000);
    // `kept` was read from the oldest on, and its first one is read again.
    const [first, second] = kept as [Item, Item];
    recent.get(first);
    recent.set(items[0]!, { ...aPost('x'), message, createdAt: '' });
    assert.notEqual(recent.get(first), undefined);
    assert.equal(recent.get(second), undefined);
    for (const item of [...kept, items[0]!]) recent.delete(item);
    for (const item of items.slice(0, kept.length))
      recent.set(item, { ...aPost('x'), message, createdAt: '' });
    assert.ok(items.slice(0, kept.length).every((item) => recent.get(item) !== undefined));
  }
});
