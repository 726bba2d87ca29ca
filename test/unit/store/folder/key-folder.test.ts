import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { testClock, type TestClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { addPost } from '../../../support/store/writes.ts';

const DAY = 86_400_000;

interface Place {
  readonly folder: string;
  readonly keysFolder?: string;
  readonly clock: TestClock;
  readonly keepsKeys?: boolean;
}

async function open(t: TestContext, place: Place): Promise<Store> {
  const store = await openFolderStore({ ...place, report: () => undefined });
  t.after(() => store.close());
  return store;
}

const post = (store: Store): Promise<unknown> => addPost(store, 'x', anOrigin('v'));
const ages = (store: Store): Promise<number[]> => store.read.recentWriteAges('v', 'feed', DAY, 9);

test('with KEYS_DIR no key is in the data folder, and without the keys nobody can read who wrote what', async (t) => {
  const [folder, keysFolder] = [
    join(await temporaryFolder(t), 'data'),
    join(await temporaryFolder(t), 'a', 'keys'),
  ];
  const clock = testClock('2026-11-21T10:00:00.000Z');
  const store = await open(t, { folder, keysFolder, clock });
  await post(store);
  assert.ok(!existsSync(join(folder, 'keys')));
  assert.deepEqual(readdirSync(keysFolder), ['2026-11-21']);
  assert.equal((await ages(await open(t, { folder, keysFolder, clock }))).length, 1);
  assert.deepEqual(await ages(await open(t, { folder, clock })), []);
});

test('after KEYS_DIR is set the keys of the data folder still decrypt, until they expire', async (t) => {
  const [folder, keysFolder] = [await temporaryFolder(t), join(await temporaryFolder(t), 'keys')];
  const clock = testClock('2026-11-21T10:00:00.000Z');
  await post(await open(t, { folder, clock }));
  const store = await open(t, { folder, keysFolder, clock });
  assert.equal((await ages(store)).length, 1);
  clock.advance(DAY);
  await post(await open(t, { folder, keysFolder, clock }));
  assert.deepEqual(readdirSync(join(folder, 'keys')), ['2026-11-21']);
  assert.deepEqual(readdirSync(keysFolder), ['2026-11-22']);
  clock.advance(DAY);
  await open(t, { folder, keysFolder, clock });
  assert.deepEqual(readdirSync(join(folder, 'keys')), []);
  assert.deepEqual(readdirSync(keysFolder), ['2026-11-22']);
});

test('forgetClients destroys the expired keys of a store that stood still, by the wall clock, and counts them', async (t) => {
  const [folder, keysFolder] = [await temporaryFolder(t), join(await temporaryFolder(t), 'keys')];
  const clock = testClock('2026-11-21T10:00:00.000Z');
  const server = await open(t, { folder, keysFolder, clock });
  await post(server);
  clock.advance(DAY);
  await post(server);
  await server.close();
  clock.advance(13 * 3_600_000);
  assert.deepEqual(await (await open(t, { folder, keysFolder, clock })).forgetClients(), {
    destroyed: 0,
    unit: 'keys',
  });
  clock.advance(9 * DAY);
  const command = await open(t, { folder, keysFolder, clock, keepsKeys: true });
  assert.equal(readdirSync(keysFolder).length, 2);
  assert.deepEqual(await command.forgetClients(), { destroyed: 2, unit: 'keys' });
  assert.deepEqual(readdirSync(keysFolder), []);
  assert.deepEqual(await command.forgetClients(), { destroyed: 2, unit: 'keys' });
});
