import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store, WriteOrigin } from '#store/store.ts';
import { StoreLocation, textsOf, type OpenStore } from '../support/store/place.ts';
import { addPost, anOrigin, newId } from '../support/store/records.ts';

const HOUR_MS = 3_600_000;

const sign = (store: Store, trace: WriteOrigin): Promise<unknown> =>
  store.write((writer) =>
    writer.append('guest', { id: newId('guest'), name: 'n', kind: null, note: 'x' }, trace),
  );

export function testWriteHistory(open: OpenStore): void {
  test('a window tells the ages of one visitor’s writes against one budget, youngest first', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    for (const [visitor, step] of [
      ['v', 100],
      ['w', 10],
      ['v', 1000],
      ['v', 0],
      ['w', 5],
    ] as const) {
      await store.write((writer) => addPost(writer, 'x', anOrigin(visitor)));
      await sign(store, anOrigin(visitor, { limitScope: 'porch' }));
      place.clock.advance(step);
    }
    await store.write((writer) => addPost(writer, 'nobody’s'));
    const ask = async (
      visitor: string,
      span: number,
      limit: number,
    ): Promise<[number[], number[], number[]]> => [
      await store.read.recentWriteAges(visitor, 'feed', span, limit),
      await store.read.recentWriteAges(visitor, 'porch', span, limit),
      await store.write((writer) => writer.recentWriteAges(visitor, 'feed', span, limit)),
    ];
    const asked: [visitor: string, span: number, limit: number, ages: number[]][] = [
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
    for (const [visitor, span, limit, ages] of asked) {
      assert.deepEqual(await ask(visitor, span, limit), [ages, ages, ages], `${visitor} ${span} ${limit}`);
    }
  });

  test('a write more than a minute in the future does not count', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    await store.write((writer) => addPost(writer, 'x', anOrigin('v')));
    const count = async (): Promise<number> =>
      (await store.read.recentWriteAges('v', 'feed', HOUR_MS, 9)).length;
    place.clock.advance(-59_000);
    assert.equal(await count(), 1);
    place.clock.advance(-2000);
    assert.equal(await count(), 0);
    assert.deepEqual(await store.write((writer) => writer.recentWriteAges('v', 'feed', HOUR_MS, 9)), []);
    place.clock.advance(61_000);
    assert.equal(await count(), 1);
  });

  test('an attempt is known by visitor, kind and key, and tells whether the content is the same', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    const trace = anOrigin('v', { key: 'key-00001', content: 'a' });
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'x', trace));
    const ask = (given: Partial<WriteOrigin>, kind: 'post' | 'guest' = 'post', span = HOUR_MS) =>
      store.write((writer) => writer.idempotentHit(kind, { ...trace, ...given }, span));
    assert.deepEqual(await ask({}), { id, sameContent: true });
    assert.deepEqual(await ask({ content: 'b' }), { id, sameContent: false });
    assert.deepEqual(await ask({ limitScope: 'porch' }), { id, sameContent: true });
    const others = [ask({ clientKey: 'w' }), ask({ key: 'key-00002' }), ask({ key: null }), ask({}, 'guest')];
    assert.deepEqual(await Promise.all(others), [undefined, undefined, undefined, undefined]);
    place.clock.advance(1000);
    assert.deepEqual([await ask({}, 'post', 1000), (await ask({}, 'post', 1001))?.id], [undefined, id]);
  });

  test('a twin is the last write of the same content by the same visitor', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    const trace = anOrigin('v', { content: 'a' });
    await store.write((writer) => addPost(writer, 'x', trace));
    place.clock.advance(10);
    const ids = await store.write(async (writer) => {
      const {
        record: { id },
      } = await addPost(writer, 'x', trace);
      return [id, await writer.recentDuplicate('post', trace, HOUR_MS)];
    });
    assert.equal(ids[0], ids[1]);
    const ask = (given: Partial<WriteOrigin>, kind: 'post' | 'guest' = 'post', span = HOUR_MS) =>
      store.write((writer) => writer.recentDuplicate(kind, { ...trace, ...given }, span));
    assert.equal(await ask({}), ids[0]);
    assert.deepEqual(
      [await ask({ content: 'b' }), await ask({ clientKey: 'w' }), await ask({}, 'guest')],
      [undefined, undefined, undefined],
    );
    place.clock.advance(1000);
    assert.deepEqual([await ask({}, 'post', 1000), await ask({}, 'post', 1001)], [undefined, ids[0]]);
  });

  test('sixty works at once, in two stores, that count and then append keep exactly as many as the limit', async (t) => {
    const place = new StoreLocation(t, open);
    const stores = [await place.open(), await place.open()];
    const works = Array.from({ length: 60 }, (_, number) =>
      stores[number % 2]!.write(async (writer) => {
        if ((await writer.recentWriteAges('v', 'feed', HOUR_MS, 24)).length >= 24)
          throw new Error('the limit is reached');
        return addPost(writer, String(number), anOrigin('v'));
      }),
    );
    const settled = await Promise.allSettled(works);
    const kept = settled.flatMap((result, number) => (result.status === 'fulfilled' ? [String(number)] : []));
    assert.equal(kept.length, 24);
    assert.deepEqual((await textsOf(await place.open())).sort(), kept.sort());
  });
}
