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

  test('of equal contents the one with the latest time is the duplicate, also after the clock went back', async (t) => {
    const { location, store } = await openFirst(t, open);
    const origin = anOrigin('v', { content: 'same' });
    await addPost(store, 'early', origin);
    location.clock.advance(5000);
    const { record } = await addPost(store, 'latest', origin);
    location.clock.advance(-3000);
    await addPost(store, 'after the clock went back', origin);
    for (const reader of [store, await location.open()])
      assert.equal(await recentDuplicate(reader, 'post', origin, 60_000), record.id);
  });
}
