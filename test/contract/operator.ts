import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  historyOf,
  openFirst,
  StoreLocation,
  textsOf,
  type OpenStore,
} from '../support/store/store-location.ts';
import { aPost, aReply, anOrigin, newId } from '../support/store/records.ts';
import {
  addPost,
  addPosts,
  erase,
  freeze,
  hide,
  importEntries,
  lookUp,
  thaw,
  unhide,
} from '../support/store/writes.ts';

export function testOperator(open: OpenStore): void {
  test('erasing a record removes it from every read, and no later write restores it', async (t) => {
    const location = new StoreLocation(t, open);
    const [store, other] = [await location.open(), await location.open()];
    const { record } = await addPost(store, 'erased');
    await addPost(other, 'stays');
    assert.equal(await erase(store, record.id), true);
    for (const reader of [store, other, await location.open()]) {
      assert.deepEqual(await textsOf(reader), ['stays']);
      assert.equal(await reader.read.find('post', record.id), undefined);
      assert.equal((await reader.read.totals()).posts, 1);
      assert.doesNotMatch(JSON.stringify(await historyOf(reader)), /erased/);
    }
    assert.equal(await unhide(other, record.id, 'x'), false);
    assert.equal(await hide(other, record.id, 'x'), false);
    assert.deepEqual(await importEntries(other, [{ kind: 'post', record }]), ['known']);
    assert.equal(await erase(other, record.id), true);
    for (const unknown of [newId('post'), '', '__proto__']) assert.equal(await erase(store, unknown), false);
  });

  test('erasing a hidden post keeps its visible replies', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const top = aPost('top');
    const writes = [
      addPosts(store, [top, aReply(top.id, 'reply')]),
      hide(store, top.id),
      erase(store, top.id),
      lookUp(store, { type: 'record', id: top.id }),
    ];
    assert.deepEqual((await Promise.all(writes)).slice(1), [true, true, { status: 'erased' }]);
    assert.deepEqual(await textsOf(store), ['reply']);
    const { posts, threads } = await store.read.totals();
    assert.deepEqual([posts, threads], [1, 0]);
  });

  test('a freeze applies to every store of the location and survives reopening, until a thaw', async (t) => {
    const location = new StoreLocation(t, open);
    const [one, other] = [await location.open(), await location.open()];
    assert.equal(await thaw(one), false);
    assert.equal(await freeze(one), true);
    assert.equal(await freeze(other), false);
    assert.equal(await other.read.frozen(), true);
    const {
      record: { id },
    } = await addPost(one, 'x');
    await erase(one, id);
    const later = await location.open();
    assert.equal(await later.write({}, ({ frozen }) => ({ result: frozen })), true);
    assert.equal(await thaw(other), true);
    assert.equal(await one.read.frozen(), false);
  });

  test('moderations returns the newest entries first, with action, time, id and reason only', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const {
      record: { id },
    } = await addPost(store, 'x');
    await hide(store, id, 'first');
    await unhide(store, id, 'second');
    await erase(store, id, 'third');
    const entries = await store.read.moderations(2);
    assert.deepEqual(
      entries.map(({ action, reason }) => [action, reason]),
      [
        ['erase', 'third'],
        ['unhide', 'second'],
      ],
    );
    assert.deepEqual(Object.keys(entries[0]!).sort(), ['action', 'at', 'id', 'reason']);
    const older = await store.read.moderations(2, entries[1]!.at);
    assert.deepEqual(
      older.map(({ reason }) => reason),
      ['first'],
    );
    assert.deepEqual(await store.read.moderations(2, older[0]!.at), []);
  });

  test('history has hidden records and no write origins, and importing it elsewhere gives an equal history', async (t) => {
    const [from, to] = [await new StoreLocation(t, open).open(), await new StoreLocation(t, open).open()];
    const { record: hidden } = await addPost(from, 'hidden', anOrigin('203.0.113.7'));
    const { record: seen } = await addPost(from, 'seen');
    await hide(from, hidden.id, 'spam');
    const history = await historyOf(from);
    assert.doesNotMatch(JSON.stringify(history), /203\.0\.113/);
    for (const outcome of ['stored', 'known']) {
      assert.deepEqual(
        await importEntries(to, history),
        history.map(() => outcome),
      );
    }
    assert.deepEqual(await historyOf(to), history);
    assert.deepEqual(await textsOf(to), ['seen']);
    const other = { kind: 'post' as const, record: { ...seen, id: newId('post') } };
    assert.deepEqual(await importEntries(to, [other]), ['taken']);
  });

  test('of imported hides and unhides with equal timestamps all are stored, and the one that arrived last decides', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [first, second] = [aPost('first'), aPost('second')];
    const at = '2020-01-01T00:00:00.000000Z';
    const entry = (action: 'hide' | 'unhide', id: string) => ({ action, id, at, reason: 'x' }) as const;
    await addPosts(store, [first, second]);
    const entries = [entry('hide', first.id), entry('unhide', first.id), entry('hide', second.id)];
    assert.deepEqual(await importEntries(store, entries.slice(0, 2)), ['stored', 'stored']);
    assert.deepEqual(await importEntries(store, entries), ['known', 'known', 'stored']);
    for (const reader of [store, await location.open()]) {
      assert.deepEqual(await textsOf(reader), ['first']);
      const history = await historyOf(reader);
      assert.deepEqual(
        history.filter((one) => 'action' in one),
        entries,
      );
      assert.deepEqual(await reader.read.moderations(2), entries.slice(1).reverse());
    }
  });

  test('an imported hide or unhide that is earlier than the latest one is stored and changes nothing', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [hidden, shown] = [aPost('hidden'), aPost('shown')];
    const entry = (action: 'hide' | 'unhide', id: string, day: number) =>
      ({ action, id, at: `2020-01-0${day}T00:00:00.000000Z`, reason: 'x' }) as const;
    await addPosts(store, [hidden, shown]);
    const entries = [
      entry('unhide', shown.id, 4),
      entry('hide', hidden.id, 3),
      entry('unhide', hidden.id, 2),
      entry('hide', shown.id, 1),
    ];
    for (const one of entries) assert.deepEqual(await importEntries(store, [one]), ['stored']);
    const together = await new StoreLocation(t, open).open();
    await addPosts(together, [hidden, shown]);
    await importEntries(together, entries);
    for (const reader of [store, await location.open(), together]) {
      assert.deepEqual(await textsOf(reader), ['shown']);
      assert.equal((await reader.read.totals()).posts, 1);
      assert.equal((await historyOf(reader)).length, 6);
    }
    assert.equal(await unhide(store, hidden.id), true);
    assert.deepEqual(await textsOf(store), ['hidden', 'shown']);
  });

  test('of entries that are imported at once a repeated record is known, and another record of its timestamp is taken', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const record = { ...aPost('x'), createdAt: '2020-01-01T00:00:00.000000Z' };
    const entries = [record, record, { ...record, id: newId('post') }].map((one) => ({
      kind: 'post' as const,
      record: one,
    }));
    const outcomes = await importEntries(store, entries);
    assert.deepEqual(outcomes, ['stored', 'known', 'taken']);
  });

  test('an imported record with an old timestamp is sorted by it, and later timestamps do not go back', async (t) => {
    const store = await new StoreLocation(t, open).open();
    await addPost(store, 'one');
    await Promise.all([
      importEntries(store, [
        { kind: 'post', record: { ...aPost('zero'), createdAt: '2020-01-01T00:00:00.000000Z' } },
      ]),
      addPost(store, 'two'),
    ]);
    assert.deepEqual(await textsOf(store), ['zero', 'one', 'two']);
  });
}
