import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Store } from '#store/port/store.ts';
import { newDatabase, openStore } from '../../../../support/postgres/postgres.ts';
import { Proxy } from '../../../../support/proxy.ts';
import { addPost } from '../../../../support/store/writes.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const WORKING = { writable: true, reason: null, notifying: true };

interface Listening {
  /** Reaches the database through a proxy, whose first connection that sends the text has gone silent. */
  readonly store: Store;
  readonly other: Store;
  /** Ids of the changes that `store` has delivered. */
  readonly changed: readonly string[];
  /** What `store` has reported. */
  readonly reports: readonly string[];
}

async function openSilentAt(t: TestContext, text: string): Promise<Listening> {
  const url = await newDatabase(t);
  const other = await openStore({ url });
  const proxy = await Proxy.open(t, url);
  proxy.silentAt = text;
  const reports: string[] = [];
  const store = await openStore({
    url: proxy.url,
    report: (what) => reports.push(what),
    timeouts: { statementMs: 1000, pingMs: 50 },
  });
  t.after(() => Promise.all([store.close(), other.close()]));
  const changed: string[] = [];
  store.watch(({ id }) => changed.push(id));
  await waitUntil(() => proxy.silentAt === undefined);
  return { store, other, changed, reports };
}

/** Every change arrives once, in order. */
async function assertDelivers({ store, other, changed }: Listening): Promise<void> {
  const { record: first } = await addPost(other, 'while it is silent');
  await waitUntil(() => changed.length > 0);
  await waitUntil(async () => (await store.health()).notifying);
  const { record: second } = await addPost(other, 'afterwards');
  await waitUntil(() => changed.length > 1);
  assert.deepEqual(changed, [first.id, second.id]);
}

for (const [moment, text] of [
  ['with LISTEN', 'listen "'],
  ['while it reads what it missed', 'as missed) as rows from clock'],
] as const) {
  test(`a connection that goes silent ${moment} is replaced, and health says so meanwhile`, async (t) => {
    const listening = await openSilentAt(t, text);
    assert.deepEqual(await listening.store.health(), { ...WORKING, notifying: false });

    await assertDelivers(listening);
    assert.deepEqual(await listening.store.health(), WORKING);
    assert.deepEqual(listening.reports, [
      'changes by other servers arrive late, the database does not respond: "Query read timeout"',
      'changes arrive at once again',
    ]);
  });
}

test('a connection that goes silent while nothing changes is replaced', async (t) => {
  const listening = await openSilentAt(t, 'select\0');
  await assertDelivers(listening);
  assert.deepEqual(listening.reports, []);
});
