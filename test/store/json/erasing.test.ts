import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openJsonStore } from '#store/json/json-store.ts';
import type { Store, Trace } from '#store/store.ts';
import { testClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

const clock = testClock('2026-03-02T09:00:00Z');
const HOUR_MS = 60 * 60 * 1000;
const TRACE: Trace = { visitor: '203.0.113.7/32', budget: 'feed', key: 'key-00001', content: 'x' };

async function open(test: TestContext, folder: string): Promise<Store> {
  const store = await openJsonStore({ folder, clock, report: () => undefined });
  test.after(() => store.close());
  return store;
}

const post = (store: Store, id: string, message: string, trace?: Trace) => store.write((writer) => writer.append('post', {
  id, message, prefix: null, parentId: null, rootId: id, answers: [],
}, trace));

async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Every byte of every file in the folder. */
function bytesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n');
}

it('nothing of an erased text is left on the disk, while another process goes on serving and writing', async (test) => {
  const folder = await temporaryFolder(test);
  const [operator, server] = [await open(test, folder), await open(test, folder)];
  await post(server, 'post_1', 'a very private sentence');
  await post(server, 'post_2', 'a public sentence');
  assert.equal(await operator.write((writer) => writer.erase('post_1', 'private data')), true);
  assert.doesNotMatch(bytesOf(folder), /very private/);
  assert.match(bytesOf(folder), /a public sentence/);
  assert.equal(await server.read.find('post', 'post_1'), undefined);
  await post(server, 'post_3', 'written afterwards');
  for (const store of [operator, server, await open(test, folder)]) {
    assert.deepEqual((await store.read.page('post', { order: 'newest', limit: 9 })).map(({ record }) => record.id), ['post_3', 'post_2']);
    assert.equal((await store.read.totals()).posts, 2);
  }
});

it('an erased record still counts against the limits and holds its key, also in the new log', async (test) => {
  const folder = await temporaryFolder(test);
  const store = await open(test, folder);
  await post(store, 'post_1', 'secret', TRACE);
  await store.write((writer) => writer.erase('post_1', 'x'));
  for (const one of [store, await open(test, folder)]) {
    assert.equal((await one.read.window(TRACE.visitor, 'feed', HOUR_MS, 9)).length, 1);
    assert.deepEqual(await one.write((writer) => writer.attempt('post', TRACE, HOUR_MS)), { id: 'post_1', sameContent: true });
  }
});

it('what was erased cannot come back, be hidden or be restored, but be erased again', async (test) => {
  const store = await open(test, await temporaryFolder(test));
  const { record } = await post(store, 'post_1', 'secret');
  await store.write((writer) => writer.erase('post_1', 'x'));
  assert.equal(await store.write((writer) => writer.unhide('post_1', 'x')), false);
  assert.equal(await store.write((writer) => writer.hide('post_1', 'x')), false);
  assert.equal(await store.write((writer) => writer.restore({ kind: 'post', record })), 'known');
  assert.equal(await store.write((writer) => writer.erase('post_1', 'x')), true);
  assert.equal(await store.write((writer) => writer.erase('post_2', 'x')), false);
});

it('a hidden record can be erased, and its visible replies stay', async (test) => {
  const store = await open(test, await temporaryFolder(test));
  await post(store, 'post_1', 'secret');
  await store.write((writer) => writer.append('post', {
    id: 'post_2', message: 'reply', prefix: null, parentId: 'post_1', rootId: 'post_1', answers: [],
  }));
  await store.write((writer) => writer.hide('post_1', 'x'));
  await store.write((writer) => writer.erase('post_1', 'x'));
  assert.equal((await store.read.find('post', 'post_2'))?.record.parentId, 'post_1');
  const { posts, threads } = await store.read.totals();
  assert.deepEqual([posts, threads], [1, 0]);
});

it('a freeze holds in every process and after a restart, until it is thawed', async (test) => {
  const folder = await temporaryFolder(test);
  const [one, other] = [await open(test, folder), await open(test, folder)];
  assert.equal(await one.write((writer) => writer.turn('freeze')), true);
  assert.equal(await one.write((writer) => writer.turn('freeze')), false);
  assert.equal(await other.read.frozen(), true);
  await post(one, 'post_1', 'secret');
  await one.write((writer) => writer.erase('post_1', 'x'));
  assert.equal(await (await open(test, folder)).write((writer) => writer.frozen()), true);
  assert.equal(await other.write((writer) => writer.turn('thaw')), true);
  assert.equal(await one.read.frozen(), false);
});

it('history tells everything in order, hidden records too, and nothing of visitors; restored elsewhere it is the same', async (test) => {
  const [from, to] = [await open(test, await temporaryFolder(test)), await open(test, await temporaryFolder(test))];
  await post(from, 'post_1', 'one', TRACE);
  await post(from, 'post_2', 'two');
  await from.write((writer) => writer.hide('post_1', 'spam'));
  const told = await listOf(from.read.history());
  assert.doesNotMatch(JSON.stringify(told), /203\.0\.113|visit/);
  const outcomes = [];
  for (const entry of told) outcomes.push(await to.write((writer) => writer.restore(entry)));
  assert.deepEqual(outcomes, ['kept', 'kept', 'kept']);
  for (const entry of told) assert.equal(await to.write((writer) => writer.restore(entry)), 'known');
  assert.deepEqual(await listOf(to.read.history()), told);
  assert.deepEqual((await to.read.page('post', { order: 'newest', limit: 9 })).map(({ record }) => record.id), ['post_2']);
  const { record } = (await to.read.find('post', 'post_2'))!;
  assert.equal(await to.write((writer) => writer.restore({ kind: 'post', record: { ...record, id: 'post_9' } })), 'taken');
});

it('a record that is restored with an old stamp does not turn the clock back', async (test) => {
  const store = await open(test, await temporaryFolder(test));
  const { record } = await post(store, 'post_1', 'one');
  await store.write(async (writer) => {
    await writer.restore({ kind: 'post', record: { ...record, id: 'post_0', rootId: 'post_0', createdAt: '2020-01-01T00:00:00.000000Z' } });
    const { record: next } = await writer.append('post', { ...record, id: 'post_2' });
    assert.ok(next.createdAt > record.createdAt);
  });
  assert.deepEqual((await store.read.page('post', { order: 'oldest', limit: 9 })).map(({ record: { id } }) => id), ['post_0', 'post_1', 'post_2']);
});
