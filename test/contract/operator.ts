import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '#store/store.ts';
import { historyOf, StoreLocation, textsOf, type OpenStore } from '../support/store/store-location.ts';
import { addPost, aPost, aReply, anOrigin, newId } from '../support/store/records.ts';

const erase = (store: Store, id: string): Promise<boolean> =>
  store.write((writer) => writer.erase(id, 'why'));

export function testOperator(open: OpenStore): void {
  test('erasing a record removes it from every read, and no later write restores it', async (t) => {
    const location = new StoreLocation(t, open);
    const [store, other] = [await location.open(), await location.open()];
    const { record } = await store.write((writer) => addPost(writer, 'erased'));
    await other.write((writer) => addPost(writer, 'stays'));
    assert.equal(await erase(store, record.id), true);
    for (const reader of [store, other, await location.open()]) {
      assert.deepEqual(await textsOf(reader), ['stays']);
      assert.equal(await reader.read.find('post', record.id), undefined);
      assert.equal((await reader.read.totals()).posts, 1);
      assert.doesNotMatch(JSON.stringify(await historyOf(reader)), /erased/);
    }
    assert.equal(await other.write((writer) => writer.unhide(record.id, 'x')), false);
    assert.equal(await other.write((writer) => writer.hide(record.id, 'x')), false);
    assert.deepEqual(await other.write((writer) => writer.restore([{ kind: 'post', record }])), ['known']);
    assert.equal(await erase(other, record.id), true);
    for (const unknown of [newId('post'), '', '__proto__']) assert.equal(await erase(store, unknown), false);
  });

  test('an erased record still counts against rate limits and matches its idempotency key', async (t) => {
    const location = new StoreLocation(t, open);
    const store = await location.open();
    const origin = anOrigin('v', { key: 'some-key' });
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'x', origin));
    await erase(store, id);
    for (const one of [store, await location.open()]) {
      assert.equal((await one.read.recentWriteAges('v', 'feed', 1000, 9)).length, 1);
      assert.deepEqual(await one.write((writer) => writer.idempotentHit('post', origin, 1000)), {
        id,
        sameContent: true,
      });
    }
  });

  test('erasing a hidden post keeps its visible replies', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const top = aPost('top');
    await store.write(async (writer) => {
      await writer.append('post', top);
      await writer.append('post', aReply(top.id, 'reply'));
      await writer.hide(top.id, 'x');
      await writer.erase(top.id, 'x');
      assert.equal(await writer.find('post', top.id), undefined);
    });
    assert.deepEqual(await textsOf(store), ['reply']);
    const { posts, threads } = await store.read.totals();
    assert.deepEqual([posts, threads], [1, 0]);
  });

  test('a freeze applies to every store of the location and survives reopening, until a thaw', async (t) => {
    const location = new StoreLocation(t, open);
    const [one, other] = [await location.open(), await location.open()];
    assert.equal(await one.write((writer) => writer.setFrozen('thaw')), false);
    assert.equal(await one.write((writer) => writer.setFrozen('freeze')), true);
    assert.equal(await other.write((writer) => writer.setFrozen('freeze')), false);
    assert.equal(await other.read.frozen(), true);
    const {
      record: { id },
    } = await one.write((writer) => addPost(writer, 'x'));
    await erase(one, id);
    assert.equal(await (await location.open()).write((writer) => writer.frozen()), true);
    assert.equal(await other.write((writer) => writer.setFrozen('thaw')), true);
    assert.equal(await one.read.frozen(), false);
  });

  test('moderations returns the newest entries first, with action, time, id and reason only', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'x'));
    await store.write((writer) => writer.hide(id, 'first'));
    await store.write((writer) => writer.unhide(id, 'second'));
    await store.write((writer) => writer.erase(id, 'third'));
    const entries = await store.read.moderations(2);
    assert.deepEqual(
      entries.map(({ action, reason }) => [action, reason]),
      [
        ['erase', 'third'],
        ['unhide', 'second'],
      ],
    );
    assert.deepEqual(Object.keys(entries[0]!).sort(), ['action', 'at', 'id', 'reason']);
  });

  test('history has hidden records and no write origins, and restoring it elsewhere gives an equal history', async (t) => {
    const [from, to] = [await new StoreLocation(t, open).open(), await new StoreLocation(t, open).open()];
    const { record: hidden } = await from.write((writer) =>
      addPost(writer, 'hidden', anOrigin('203.0.113.7')),
    );
    const { record: seen } = await from.write((writer) => addPost(writer, 'seen'));
    await from.write((writer) => writer.hide(hidden.id, 'spam'));
    const history = await historyOf(from);
    assert.doesNotMatch(JSON.stringify(history), /203\.0\.113/);
    for (const outcome of ['stored', 'known']) {
      assert.deepEqual(
        await to.write((writer) => writer.restore(history)),
        history.map(() => outcome),
      );
    }
    assert.deepEqual(await historyOf(to), history);
    assert.deepEqual(await textsOf(to), ['seen']);
    const other = { kind: 'post' as const, record: { ...seen, id: newId('post') } };
    assert.deepEqual(await to.write((writer) => writer.restore([other])), ['taken']);
  });

  test('within one write a repeated record is known, and another record of its timestamp is taken', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const record = { ...aPost('x'), createdAt: '2020-01-01T00:00:00.000000Z' };
    const entries = [record, record, { ...record, id: newId('post') }].map((one) => ({
      kind: 'post' as const,
      record: one,
    }));
    const outcomes = await store.write((writer) => writer.restore(entries));
    assert.deepEqual(outcomes, ['stored', 'known', 'taken']);
  });

  test('a restored record with an old timestamp is sorted by it, and later timestamps do not go back', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await store.write((writer) => addPost(writer, 'one'));
    await store.write(async (writer) => {
      await writer.restore([
        { kind: 'post', record: { ...aPost('zero'), createdAt: '2020-01-01T00:00:00.000000Z' } },
      ]);
      await addPost(writer, 'two');
    });
    assert.deepEqual(await textsOf(store), ['zero', 'one', 'two']);
  });
}
