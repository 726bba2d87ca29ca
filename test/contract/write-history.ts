import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteOrigin } from '#store/port/lookups.ts';
import type { Store } from '#store/port/store.ts';
import { openFirst, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { anOrigin, newId } from '../support/store/records.ts';
import {
  addLimitedPost,
  addPost,
  addRecord,
  idempotentHit,
  recentDuplicate,
  recentWriteAges,
} from '../support/store/writes.ts';

const HOUR_MS = 3_600_000;

const sign = (store: Store, origin: WriteOrigin): Promise<unknown> =>
  addRecord(store, 'guest', { id: newId('guest'), name: 'n', kind: null, note: 'x' }, origin);

/** Adds a post and a guest of each client, then advances the clock; at last a post without an origin. */
async function writeHistory(
  location: StoreLocation,
  store: Store,
  steps: readonly (readonly [clientKey: string, advanceMs: number])[],
): Promise<void> {
  for (const [clientKey, advanceMs] of steps) {
    await addPost(store, 'x', anOrigin(clientKey));
    await sign(store, anOrigin(clientKey, { limitScope: 'porch' }));
    location.clock.advance(advanceMs);
  }
  await addPost(store, 'without an origin');
}

export function testWriteHistory(open: OpenStore): void {
  test('recentWriteAges returns the ages of one client’s writes in one limit scope, youngest first', async (t) => {
    const { location, store } = await openFirst(t, open);
    await writeHistory(location, store, [
      ['v', 100],
      ['w', 10],
      ['v', 1000],
      ['v', 0],
      ['w', 5],
    ]);
    const agesOf = async (
      clientKey: string,
      windowMs: number,
      limit: number,
    ): Promise<(readonly number[])[]> => [
      await store.read.recentWriteAges(clientKey, 'feed', windowMs, limit),
      await store.read.recentWriteAges(clientKey, 'porch', windowMs, limit),
      await recentWriteAges(store, { clientKey, limitScope: 'feed' }, windowMs, limit),
    ];
    const cases: [clientKey: string, windowMs: number, limit: number, ages: number[]][] = [
      ['v', HOUR_MS, 9, [5, 1005, 1115]],
      ['w', HOUR_MS, 9, [5, 1015]],
      ['v', HOUR_MS, 2, [5, 1005]],
      ['v', HOUR_MS, 0, []],
      ['v', 1006, 9, [5, 1005]],
      ['v', 1005, 9, [5]],
      ['v', 5, 9, []],
      ['', HOUR_MS, 9, []],
      ['__proto__', HOUR_MS, 9, []],
    ];
    for (const [clientKey, windowMs, limit, ages] of cases) {
      const actual = await agesOf(clientKey, windowMs, limit);
      assert.deepEqual(actual, [ages, ages, ages], `${clientKey} ${windowMs} ${limit}`);
    }
  });

  test('recentWriteAges by no client returns the ages of all clients’ newest writes in both limit scopes', async (t) => {
    const { location, store } = await openFirst(t, open);
    await writeHistory(location, store, [
      ['v', 100],
      ['w', 10],
      ['v', 1000],
    ]);
    const find = (windowMs: number, limit: number) => recentWriteAges(store, null, windowMs, limit);
    const [ages, ofSameBatch] = await Promise.all([
      find(HOUR_MS, 9),
      addPost(store, 'y', anOrigin('u')),
      find(HOUR_MS, 9),
    ]).then(([before, , after]) => [before, after]);
    assert.deepEqual(ages, [1000, 1000, 1010, 1010, 1110, 1110]);
    assert.deepEqual(ofSameBatch, [0, ...ages]);
    assert.deepEqual(await find(HOUR_MS, 3), [0, 1000, 1000]);
    assert.deepEqual(await find(1001, 9), [0, 1000, 1000]);
    assert.deepEqual(await find(1000, 9), [0]);
    location.clock.advance(-63_000);
    assert.deepEqual(await find(HOUR_MS, 9), []);
  });

  test('recentWriteAges of a widened network returns the ages of the newest writes of its clients, in both limit scopes', async (t) => {
    const location = new StoreLocation(t, open);
    const first = await location.open();
    await writeHistory(location, first, [
      ['2001:db8:1:1::/64', 100],
      ['2001:db8:2:1::/64', 10],
      ['2001:db8:1:ffff::/64', 1000],
      ['203.0.113.7/32', 1],
      ['203.0.112.7/32', 1],
      ['v', 1],
    ]);
    for (const store of [first, await location.open()]) {
      const find = (widened: string, windowMs = HOUR_MS, limit = 9) =>
        recentWriteAges(store, { widened }, windowMs, limit);
      assert.deepEqual(await find('2001:db8:1::/48'), [1003, 1003, 1113, 1113]);
      assert.deepEqual(await find('2001:db8:1::/48', HOUR_MS, 3), [1003, 1003, 1113]);
      assert.deepEqual(await find('2001:db8:1::/48', 1113), [1003, 1003]);
      assert.deepEqual(await find('2001:db8:2::/48'), [1013, 1013]);
      assert.deepEqual(await find('203.0.113.0/24'), [3, 3]);
      assert.deepEqual(await find('v'), [1, 1]);
      assert.deepEqual(await find('198.51.100.0/24'), []);
    }
    const [, ofSameBatch] = await Promise.all([
      addPost(first, 'y', anOrigin('203.0.113.8/32')),
      recentWriteAges(first, { widened: '203.0.113.0/24' }, HOUR_MS, 9),
    ]);
    assert.deepEqual(ofSameBatch, [0, 3, 3]);
  });

  test('a write entry more than 60 s in the future does not count', async (t) => {
    const { location, store } = await openFirst(t, open);
    await addPost(store, 'x', anOrigin('v'));
    const count = async (): Promise<number> =>
      (await store.read.recentWriteAges('v', 'feed', HOUR_MS, 9)).length;
    location.clock.advance(-59_000);
    assert.equal(await count(), 1);
    location.clock.advance(-2000);
    assert.equal(await count(), 0);
    const by = { clientKey: 'v', limitScope: 'feed' } as const;
    assert.deepEqual(await recentWriteAges(store, by, HOUR_MS, 9), []);
    location.clock.advance(61_000);
    assert.equal(await count(), 1);
  });

  test('idempotentHit matches client, kind and key, and reports whether the content is the same', async (t) => {
    const { location, store } = await openFirst(t, open);
    const origin = anOrigin('v', { key: 'key-00001', content: 'a' });
    const {
      record: { id },
    } = await addPost(store, 'x', origin);
    const find = (given: Partial<WriteOrigin>, kind: 'post' | 'guest' = 'post', windowMs = HOUR_MS) =>
      idempotentHit(store, kind, { ...origin, ...given }, windowMs);
    assert.deepEqual(await find({}), { id, sameContent: true });
    assert.deepEqual(await find({ content: 'b' }), { id, sameContent: false });
    assert.deepEqual(await find({ limitScope: 'porch' }), { id, sameContent: true });
    const others = [
      find({ clientKey: 'w' }),
      find({ key: 'key-00002' }),
      find({ key: null }),
      find({}, 'guest'),
    ];
    assert.deepEqual(await Promise.all(others), [undefined, undefined, undefined, undefined]);
    location.clock.advance(1000);
    assert.deepEqual([await find({}, 'post', 1000), (await find({}, 'post', 1001))?.id], [undefined, id]);
  });

  test('recentDuplicate returns the last write of the same kind and content by the same client', async (t) => {
    const { location, store } = await openFirst(t, open);
    const origin = anOrigin('v', { content: 'a' });
    await addPost(store, 'x', origin);
    location.clock.advance(10);
    const [added, ofSameBatch] = await Promise.all([
      addPost(store, 'x', origin),
      recentDuplicate(store, 'post', origin, HOUR_MS),
    ]);
    const { id } = added.record;
    assert.equal(ofSameBatch, id);
    const find = (given: Partial<WriteOrigin>, kind: 'post' | 'guest' = 'post', windowMs = HOUR_MS) =>
      recentDuplicate(store, kind, { ...origin, ...given }, windowMs);
    assert.equal(await find({}), id);
    assert.deepEqual(
      [await find({ content: 'b' }), await find({ clientKey: 'w' }), await find({}, 'guest')],
      [undefined, undefined, undefined],
    );
    location.clock.advance(1000);
    assert.deepEqual([await find({}, 'post', 1000), await find({}, 'post', 1001)], [undefined, id]);
  });

  test('60 parallel writes in two stores that check a limit and append store exactly as many as the limit allows', async (t) => {
    const location = new StoreLocation(t, open);
    const stores = [await location.open(), await location.open()];
    const writes = Array.from({ length: 60 }, (_, number) =>
      addLimitedPost(stores[number % 2]!, String(number), anOrigin('v'), { windowMs: HOUR_MS, limit: 24 }),
    );
    const settled = await Promise.allSettled(writes);
    const stored = settled.flatMap((result, number) =>
      result.status === 'fulfilled' ? [String(number)] : [],
    );
    assert.equal(stored.length, 24);
    assert.deepEqual((await textsOf(await location.open())).sort(), stored.sort());
  });
}
