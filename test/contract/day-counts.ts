import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '#store/port/store.ts';
import { openFirst, StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import { aPost, aReply, newId } from '../support/store/records.ts';
import { erase, hide, importEntries, unhide } from '../support/store/writes.ts';

type Day = [day: string, byPrefix: Record<string, number>];

const toDays = (days: readonly Day[]): object[] => days.map(([day, byPrefix]) => ({ day, byPrefix }));

/** Imports posts with the given messages and timestamps. @returns their ids */
async function importPosts(store: Store, posts: readonly [message: string, at: string][]): Promise<string[]> {
  const entries = posts.map(([message, at]) => ({
    kind: 'post' as const,
    record: { ...aPost(message), createdAt: `${at}Z` },
  }));
  assert.deepEqual(
    await importEntries(store, entries),
    posts.map(() => 'stored'),
  );
  return entries.map(({ record }) => record.id);
}

export function testDayCounts(open: OpenStore): void {
  test('dayCounts counts visible posts by UTC day and prefix, ascending, without empty days', async (t) => {
    const { location, store } = await openFirst(t, open);
    assert.deepEqual(await store.read.dayCounts({}), []);
    const ids = await importPosts(store, [
      ['IDEA: late', '2026-11-20T23:59:59.999999'],
      ['WORK: early', '2026-11-18T00:00:00.000000'],
      ['plain', '2026-11-20T00:00:00.000000'],
      ['IDEA: other', '2026-11-20T12:00:00.000000'],
      ['next', '2026-11-21T00:00:00.000000'],
    ]);
    const reply = { ...aReply(ids[0]!, 'REVIEW: x'), createdAt: '2026-11-21T00:00:00.000001Z' };
    const note = {
      id: newId('guest'),
      name: 'n',
      kind: null,
      note: 'x',
      createdAt: '2026-11-19T00:00:00.000000Z',
    };
    await importEntries(store, [
      { kind: 'post', record: reply },
      { kind: 'guest', record: note },
    ]);
    const first: Day = ['2026-11-18', { WORK: 1 }];
    const last: Day = ['2026-11-21', { none: 1, REVIEW: 1 }];
    const steps: [() => Promise<unknown>, Day[]][] = [
      [async () => undefined, [first, ['2026-11-20', { IDEA: 2, none: 1 }], last]],
      [() => hide(store, ids[2]!), [first, ['2026-11-20', { IDEA: 2 }], last]],
      [() => erase(store, ids[0]!), [first, ['2026-11-20', { IDEA: 1 }], last]],
      [() => hide(store, ids[3]!), [first, last]],
      [() => unhide(store, ids[2]!), [first, ['2026-11-20', { none: 1 }], last]],
    ];
    for (const [index, [step, expected]] of steps.entries()) {
      await step();
      for (const { read } of [store, await location.open()])
        assert.deepEqual(await read.dayCounts({}), toDays(expected), `after step ${index}`);
    }
  });

  test('the bounds of dayCounts are exclusive, and may be a date alone', async (t) => {
    const store = await new StoreLocation(t, open).open();
    const midnight = '2026-11-20T00:00:00.000000';
    await importPosts(store, [
      ['19', '2026-11-19T23:59:59.999999'],
      ['20', midnight],
      ['20', '2026-11-20T23:59:59.999999'],
      ['21', '2026-11-21T00:00:00.000000'],
    ]);
    const rows: [object, Day[]][] = [
      [{ after: '2026-11-20', before: '2026-11-21' }, [['2026-11-20', { none: 2 }]]],
      [{ after: `${midnight}Z`, before: '2026-11-21' }, [['2026-11-20', { none: 1 }]]],
      [{ after: '2026-11-21' }, [['2026-11-21', { none: 1 }]]],
      [{ before: `${midnight}Z` }, [['2026-11-19', { none: 1 }]]],
      [{ after: '2026-11-22' }, []],
      [{ after: '2026-11-21', before: '2026-11-19' }, []],
    ];
    for (const [range, expected] of rows)
      assert.deepEqual(await store.read.dayCounts(range), toDays(expected), JSON.stringify(range));
  });
}
