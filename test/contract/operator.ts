import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '#store/store.ts';
import { historyOf, StoreLocation, textsOf, type OpenStore } from '../support/store/place.ts';
import { addPost, aPost, aReply, anOrigin, newId } from '../support/store/records.ts';

const erase = (store: Store, id: string): Promise<boolean> =>
  store.write((writer) => writer.erase(id, 'why'));

export function testOperator(open: OpenStore): void {
  test('an erased record is gone for every reader, and nothing brings it back', async (t) => {
    const place = new StoreLocation(t, open);
    const [store, other] = [await place.open(), await place.open()];
    const { record } = await store.write((writer) => addPost(writer, 'gone'));
    await other.write((writer) => addPost(writer, 'stays'));
    assert.equal(await erase(store, record.id), true);
    for (const reader of [store, other, await place.open()]) {
      assert.deepEqual(await textsOf(reader), ['stays']);
      assert.equal(await reader.read.find('post', record.id), undefined);
      assert.equal((await reader.read.totals()).posts, 1);
      assert.doesNotMatch(JSON.stringify(await historyOf(reader)), /gone/);
    }
    assert.equal(await other.write((writer) => writer.unhide(record.id, 'x')), false);
    assert.equal(await other.write((writer) => writer.hide(record.id, 'x')), false);
    assert.deepEqual(await other.write((writer) => writer.restore([{ kind: 'post', record }])), ['known']);
    assert.equal(await erase(other, record.id), true);
    for (const unknown of [newId('post'), '', '__proto__']) assert.equal(await erase(store, unknown), false);
  });

  test('an erased record still counts against the limits and holds its key', async (t) => {
    const place = new StoreLocation(t, open);
    const store = await place.open();
    const trace = anOrigin('v', { key: 'some-key' });
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'x', trace));
    await erase(store, id);
    for (const one of [store, await place.open()]) {
      assert.equal((await one.read.recentWriteAges('v', 'feed', 1000, 9)).length, 1);
      assert.deepEqual(await one.write((writer) => writer.idempotentHit('post', trace, 1000)), {
        id,
        sameContent: true,
      });
    }
  });

  test('the visible replies to an erased post stay, also where it was hidden before', async (t) => {
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

  test('a freeze holds for everybody and after a restart, until it is thawed', async (t) => {
    const place = new StoreLocation(t, open);
    const [one, other] = [await place.open(), await place.open()];
    assert.equal(await one.write((writer) => writer.setFrozen('thaw')), false);
    assert.equal(await one.write((writer) => writer.setFrozen('freeze')), true);
    assert.equal(await other.write((writer) => writer.setFrozen('freeze')), false);
    assert.equal(await other.read.frozen(), true);
    const {
      record: { id },
    } = await one.write((writer) => addPost(writer, 'x'));
    await erase(one, id);
    assert.equal(await (await place.open()).write((writer) => writer.frozen()), true);
    assert.equal(await other.write((writer) => writer.setFrozen('thaw')), true);
    assert.equal(await one.read.frozen(), false);
  });

  test('the log of moderation is told with the latest first', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const {
      record: { id },
    } = await store.write((writer) => addPost(writer, 'x'));
    await store.write((writer) => writer.hide(id, 'first'));
    await store.write((writer) => writer.unhide(id, 'second'));
    await store.write((writer) => writer.erase(id, 'third'));
    const told = await store.read.moderations(2);
    assert.deepEqual(
      told.map(({ action, reason }) => [action, reason]),
      [
        ['erase', 'third'],
        ['unhide', 'second'],
      ],
    );
    assert.deepEqual(Object.keys(told[0]!).sort(), ['action', 'at', 'id', 'reason']);
  });

  test('history tells everything, hidden records too, nothing of visitors, and restores to the same', async (t) => {
    const [from, to] = [await new StoreLocation(t, open).open(), await new StoreLocation(t, open).open()];
    const { record: hidden } = await from.write((writer) =>
      addPost(writer, 'hidden', anOrigin('203.0.113.7')),
    );
    const { record: seen } = await from.write((writer) => addPost(writer, 'seen'));
    await from.write((writer) => writer.hide(hidden.id, 'spam'));
    const told = await historyOf(from);
    assert.doesNotMatch(JSON.stringify(told), /203\.0\.113/);
    for (const outcome of ['stored', 'known']) {
      assert.deepEqual(
        await to.write((writer) => writer.restore(told)),
        told.map(() => outcome),
      );
    }
    assert.deepEqual(await historyOf(to), told);
    assert.deepEqual(await textsOf(to), ['seen']);
    const twin = { kind: 'post' as const, record: { ...seen, id: newId('post') } };
    assert.deepEqual(await to.write((writer) => writer.restore([twin])), ['taken']);
  });

  test('within one work a restored record is known and its stamp is taken', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const record = { ...aPost('x'), createdAt: '2020-01-01T00:00:00.000000Z' };
    const entries = [record, record, { ...record, id: newId('post') }].map((one) => ({
      kind: 'post' as const,
      record: one,
    }));
    const outcomes = await store.write((writer) => writer.restore(entries));
    assert.deepEqual(outcomes, ['stored', 'known', 'taken']);
  });

  test('a record that is restored with an old stamp takes its old place and does not turn the clock back', async (t) => {
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
