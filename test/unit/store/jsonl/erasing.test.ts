import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/store.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { Machine, post as postTo, visibleTexts } from '../../../support/store/machine.ts';
import { addRecord, erase } from '../../../support/store/writes.ts';

const clock = testClock('2026-03-02T09:00:00Z');

async function open(test: TestContext, folder: string): Promise<Store> {
  const store = await openJsonlStore({ folder, clock, report: () => undefined });
  test.after(() => store.close());
  return store;
}

const post = (store: Store, id: string, message: string) =>
  addRecord(store, 'post', {
    id,
    message,
    prefix: null,
    parentId: null,
    rootId: id,
    answers: [],
  });

/** @returns the bytes of all files in the folder */
function bytesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n');
}

it('erase removes the text from every file while another process reads and writes', async (test) => {
  const folder = await temporaryFolder(test);
  const [operator, server] = [await open(test, folder), await open(test, folder)];
  await post(server, 'post_1', 'a very private sentence');
  await post(server, 'post_2', 'a public sentence');
  assert.equal(await erase(operator, 'post_1', 'private data'), true);
  assert.doesNotMatch(bytesOf(folder), /very private/);
  assert.match(bytesOf(folder), /a public sentence/);
  assert.equal(await server.read.find('post', 'post_1'), undefined);
  await post(server, 'post_3', 'written afterwards');
  for (const store of [operator, server, await open(test, folder)]) {
    assert.deepEqual(
      (await store.read.page('post', { order: 'newest', limit: 9 })).map(({ record }) => record.id),
      ['post_3', 'post_2'],
    );
    assert.equal((await store.read.totals()).posts, 2);
  }
});

it('if the disk is full during erase the record is no longer readable, and a second erase removes its text', async (test) => {
  const machine = new Machine(test);
  const [operator, server] = [await machine.start(), await machine.start()];
  const { record } = await postTo(server, 'a very private sentence');
  const eraseIt = () => erase(operator.store, record.id, 'private data');
  operator.disk.failNext('append', 'ENOSPC', /^log-000002/);
  await assert.rejects(eraseIt(), { stored: 'unknown' });
  assert.deepEqual([await visibleTexts(operator), await visibleTexts(server)], [[], []]);
  assert.match(bytesOf(machine.folder), /very private/);
  assert.equal(await eraseIt(), true);
  assert.doesNotMatch(bytesOf(machine.folder), /very private/);
  await postTo(server, 'afterwards');
  assert.deepEqual(
    [await visibleTexts(operator), await visibleTexts(server)],
    [['afterwards'], ['afterwards']],
  );
});
