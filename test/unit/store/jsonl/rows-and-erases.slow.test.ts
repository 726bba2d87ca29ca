import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/store.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testClock } from '../../../support/clock.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { addPost, erase } from '../../../support/store/writes.ts';

const clock = testClock('2026-03-02T09:00:00Z');
const rows = { linesPerFile: 2, intervalMs: 1 };

const open = (folder: string, given: { disk?: GatedDisk; readsEveryLine?: boolean } = {}): Promise<Store> =>
  openJsonlStore({ folder, clock, report: () => undefined, rows, ...given });

/** @returns the names of the files of rows */
function rowsIn(folder: string): string[] {
  const path = join(folder, 'rows');
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.rows')) : [];
}

async function untilRows(folder: string, count: number): Promise<void> {
  while (rowsIn(folder).length < count) await sleep(1);
}

it('a start from rows does not finish again the erases that a file of them describes', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(folder);
  const { record } = await addPost(store, 'a private sentence');
  await addPost(store, 'a public sentence');
  await erase(store, record.id, '');
  await addPost(store, 'another sentence');
  await untilRows(folder, 2);
  await store.close();
  const log = readFileSync(join(folder, 'log-000001.jsonl'));
  const again = await open(folder);
  assert.equal((await again.read.totals()).posts, 2);
  await again.close();
  assert.deepEqual(readFileSync(join(folder, 'log-000001.jsonl')), log);
});

it('rows of a segment fit the log after another one began with copies of its lines', async (t) => {
  const folder = await temporaryFolder(t);
  const disk = new GatedDisk();
  const store = await open(folder, { disk });
  for (let n = 0; n < 5; n++) await addPost(store, `post ${n}`);
  await untilRows(folder, 2);
  disk.failNext('sync', 'EIO', /^log/);
  for (let n = 5; n < 9; n++) await addPost(store, `post ${n}`);
  await untilRows(folder, 4);
  await store.close();
  assert.ok(rowsIn(folder).some((name) => name.startsWith('000002-')));
  const check = await open(folder, { readsEveryLine: true });
  assert.deepEqual(await check.findMisfits(), []);
  await check.close();
  const again = await open(folder);
  const page = await again.read.page('post', { order: 'oldest', limit: 99 });
  assert.deepEqual(
    page.map(({ record }) => record.message),
    Array.from({ length: 9 }, (_, n) => `post ${n}`),
  );
  await again.close();
});
