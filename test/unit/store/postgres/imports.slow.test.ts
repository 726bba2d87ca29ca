import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { importEntries as importAll } from '#commands/import-entries.ts';
import { StoreFailure, type Store } from '#store/port/store.ts';
import { newDatabase, openStore, openStores } from '../../../support/postgres/postgres.ts';
import { Proxy } from '../../../support/proxy.ts';
import { imported, OVERLAPS } from '../../../support/store/overlaps.ts';
import { textsOf } from '../../../support/store/store-location.ts';
import { importEntries } from '../../../support/store/writes.ts';

interface Setting {
  readonly proxy: Proxy;
  readonly store: Store;
  /** Connects to the database without the proxy. */
  readonly other: Store;
}

async function settingOf(t: TestContext): Promise<Setting> {
  const url = await newDatabase(t);
  const proxy = await Proxy.open(t, url);
  const [other, store] = [await openStore({ url }), await openStore({ url: proxy.url })];
  t.after(() => Promise.all([store.close(), other.close()]));
  return { proxy, store, other };
}

/** Checks that one import alone has stored what both have, and that what the late one acknowledged is there. */
async function assertTrue(
  other: Store,
  late: readonly string[] | StoreFailure,
  prompt: readonly string[],
): Promise<void> {
  assert.equal(prompt.at(-1), 'stored');
  if (late instanceof StoreFailure) return;
  assert.ok((await textsOf(other)).includes('own'), 'an acknowledged record is lost');
  assert.deepEqual(late, ['stored', 'known']);
}

const outcomesOf = (work: Promise<string[]>): Promise<string[] | StoreFailure> =>
  work.catch((error: unknown) => {
    assert.ok(error instanceof StoreFailure, String(error));
    return error;
  });

// Each waits for a timeout of the store, in a database of its own.
describe('an import whose commit does not arrive, while another instance imports the same', {
  concurrency: true,
}, () => {
  for (const [what, { late, prompt }] of Object.entries(OVERLAPS)) {
    test(`a connection that ends before the commit: ${what} of the other instance proves nothing`, async (t) => {
      const { proxy, store, other } = await settingOf(t);
      proxy.cutAtCommit = 'before';
      const cut = new Promise<void>((resolve) => {
        proxy.onCut = () => {
          proxy.refuse();
          resolve();
        };
      });
      const outcomes = outcomesOf(importEntries(store, late));
      await cut;
      const ofOther = await importEntries(other, prompt);
      proxy.mend();
      await assertTrue(other, await outcomes, ofOther);
    });

    test(`an instance that is stopped before its commit: ${what} of the other instance proves nothing`, async (t) => {
      const { proxy, store, other } = await settingOf(t);
      proxy.silentAt = 'commit\0';
      const outcomes = outcomesOf(importEntries(store, late));
      while ((proxy.silentAt as string | undefined) !== undefined)
        await new Promise((resolve) => setImmediate(resolve));
      // The database ends the transaction of an instance that says nothing.
      const ofOther = await importEntries(other, prompt);
      await assertTrue(other, await outcomes, ofOther);
    });
  }
});

test('three instances that import overlapping records at once store each once, and their counts add up', async (t) => {
  const stores = await openStores(t, 3);
  const records = Array.from({ length: 2400 }, (_, number) => imported(`number ${number}`, number));
  const parts = [records.slice(0, 1600), records.slice(400, 2000), records.slice(800)];
  const counts = await Promise.all(stores.map((store, index) => importAll(store, parts[index] ?? [])));
  const sum = (of: 'imported' | 'skipped'): number => counts.reduce((total, count) => total + count[of], 0);
  assert.equal(sum('imported'), records.length);
  assert.equal(sum('skipped'), 3 * 1600 - records.length);
  assert.equal(new Set(await textsOf(stores[0]!)).size, records.length);
  assert.equal((await stores[0]!.read.totals()).posts, records.length);
});
