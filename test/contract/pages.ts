import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CountedRecord } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { pageThrough, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply } from '../support/store/records.ts';
import { addPost, addPosts } from '../support/store/writes.ts';

const numbers = (count: number): string[] => Array.from({ length: count }, (_, number) => String(number));

const texts = (page: CountedRecord[]): string[] =>
  (page as CountedRecord<'post'>[]).map(({ record }) => record.message);

async function fill(store: Store, count: number): Promise<void> {
  const writes = numbers(count).map((text) => addPost(store, text));
  await Promise.all(writes);
}

export function testPages(open: OpenStore): void {
  test('a page is taken from the newest or oldest end of a range with exclusive bounds', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await fill(store, 9);
    const all = await store.read.page('post', { order: 'oldest', limit: 100 });
    assert.deepEqual(texts(all), numbers(9));
    const [after, before] = [all[2]!.record.createdAt, all[7]!.record.createdAt];
    const page = async (order: 'newest' | 'oldest', limit: number, bounds: object): Promise<string> =>
      texts(await store.read.page('post', { order, limit, ...bounds })).join('');
    assert.equal(await page('newest', 3, {}), '876');
    assert.equal(await page('oldest', 3, {}), '012');
    assert.equal(await page('newest', 3, { before }), '654');
    assert.equal(await page('oldest', 3, { before }), '012');
    assert.equal(await page('newest', 3, { after }), '876');
    assert.equal(await page('oldest', 3, { after }), '345');
    assert.equal(await page('newest', 9, { before, after }), '6543');
    assert.equal(await page('oldest', 2, { before, after }), '34');
    assert.equal(await page('newest', 9, { before: after, after: before }), '');
    assert.equal(await page('oldest', 9, { before: '0000-01-01T00:00:00.000000Z' }), '');
    assert.equal(await page('oldest', 9, { after: '9999-12-31T23:59:59.999999Z' }), '');
  });

  test('paging through 1,000 records of one clock instant returns each exactly once at every page size', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await fill(store, 1000);
    for (const limit of [1, 7, 100]) {
      assert.deepEqual(texts(await pageThrough(store, 'post', { order: 'oldest', limit })), numbers(1000));
      assert.deepEqual(
        texts(await pageThrough(store, 'post', { order: 'newest', limit })),
        numbers(1000).reverse(),
      );
    }
  });

  test('paging while another store appends neither skips nor repeats a record', async (t) => {
    const location = new StoreLocation(t, open);
    const [store, other] = [await location.open(), await location.open()];
    await fill(store, 50);
    for (const limit of [1, 7]) {
      const before = texts(await store.read.page('post', { order: 'newest', limit: 10_000 }));
      const append = (): Promise<unknown> => addPost(other, 'later');
      assert.deepEqual(texts(await pageThrough(store, 'post', { order: 'newest', limit }, append)), before);
    }
    let remaining = 20;
    const append = async (): Promise<void> => {
      if (remaining-- > 0) await addPost(other, 'much later');
    };
    const seen = texts(await pageThrough(store, 'post', { order: 'oldest', limit: 7 }, append));
    assert.deepEqual(seen, texts(await store.read.page('post', { order: 'oldest', limit: 10_000 })));
    assert.equal(seen.filter((text) => text === 'much later').length, 20);
  });

  test('a page within a post holds its direct replies only', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const top = aPost('top');
    const replies = numbers(5).map((text) => aReply(top.id, text));
    await addPosts(store, [top, ...replies, aReply(replies[0]!.id, 'below')]);
    const range = { within: top.id, limit: 2 } as const;
    assert.deepEqual(
      texts(await pageThrough(store, 'post', { ...range, order: 'newest' })),
      numbers(5).reverse(),
    );
    assert.deepEqual(texts(await pageThrough(store, 'post', { ...range, order: 'oldest' })), numbers(5));
    for (const within of ['post_unknown', '__proto__', '', replies[1]!.id]) {
      assert.deepEqual(await store.read.page('post', { within, order: 'newest', limit: 9 }), []);
    }
  });
}
