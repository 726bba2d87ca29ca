import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/port/store.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import {
  Machine,
  post as postTo,
  postInNewSegment,
  visibleTexts,
  type Process,
} from '../../../support/store/machine.ts';
import { anOrigin, aPost } from '../../../support/store/records.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { addRecord, erase } from '../../../support/store/writes.ts';

const LOG = 'log-000001.jsonl';

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

it('after an erase no file has a word of the text that searches found', async (test) => {
  const folder = await temporaryFolder(test);
  const store = await open(test, folder);
  for (let n = 0; n < 50; n++) await post(store, `post_${n}`, `number${n} of many`);
  await post(store, 'post_50', 'a ZEBRAFISH');
  const find = async (from: Store): Promise<number> =>
    (await from.read.feed({ words: ['zebrafish'] }, { limit: 9, maxCandidates: 20_000 })).items.length;
  assert.equal(await find(store), 1);
  assert.match(bytesOf(folder), /zebrafish/i);
  assert.equal(await erase(store, 'post_50', 'private data'), true);
  assert.doesNotMatch(bytesOf(folder), /zebrafish/i);
  assert.equal(await find(store), 0);
  const later = await open(test, folder);
  assert.equal(await find(later), 0);
  await later.close();
  assert.doesNotMatch(bytesOf(folder), /zebrafish/i);
});

const SECRET = 'a very private sentence';

it('the erased line keeps its length, its id, its time and its encrypted client; the rest of it is blank', async (test) => {
  const machine = new Machine(test);
  const a = await machine.start();
  const { record } = await postTo(a, SECRET, anOrigin('v', { key: 'key-00001' }));
  const before = machine.files()[LOG]!;
  await erase(a.store, record.id);
  const after = machine.files()[LOG]!;
  const [line, blank] = [before, after].map(
    (bytes) => bytes.split('\n').find((each) => each.includes('"add"'))!,
  );
  assert.equal(blank!.length, line!.length);
  const { do: stored } = JSON.parse(line!) as { do: { by: string; record: Record<string, unknown> } };
  const { id, parentId, rootId, createdAt } = stored.record;
  const left = { ...stored, record: { id, parentId, rootId, createdAt } };
  assert.deepEqual((JSON.parse(blank!) as { do: object }).do, left);
  for (const { store } of [a, await machine.start()]) {
    assert.equal((await store.read.recentWriteAges('v', 'feed', 1000, 9)).length, 1);
    assert.equal(await store.read.find('post', record.id), undefined);
  }
});

it('erase removes the name of the author too', async (test) => {
  const machine = new Machine(test);
  const a = await machine.start();
  const { record } = await addRecord(a.store, 'post', { ...aPost('x'), name: 'Heron of Marlow Bay' });
  assert.match(bytesOf(machine.folder), /Heron/);
  await erase(a.store, record.id);
  assert.doesNotMatch(bytesOf(machine.folder), /Heron/);
});

it('erase removes copies of the text in lines that do not count, and in earlier segments', async (test) => {
  const machine = new Machine(test);
  const [a, b] = [await machine.start(), await machine.start()];
  a.disk.interpose('append', () => postTo(b, 'first'), /^log/);
  const { record } = await postTo(a, SECRET);
  assert.equal(bytesOf(machine.folder).split(SECRET).length, 3);
  await postInNewSegment(a);
  await postInNewSegment(b);
  assert.equal(machine.segments().length, 3);
  await erase(b.store, record.id);
  assert.doesNotMatch(bytesOf(machine.folder), /very private/);
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['first', 'in a new segment', 'in a new segment']);
});

it('a process does not overwrite again what another one has overwritten before its erase', async (test) => {
  const machine = new Machine(test);
  const [server, operator] = [await machine.start(), await machine.start()];
  const displace = async (text: string): Promise<void> => {
    server.disk.interpose('append', () => postTo(operator, 'in between'), /^log/);
    await postTo(server, text);
  };
  const { record: first } = await postTo(server, 'first');
  const { record: second } = await postTo(server, 'second');
  for (const text of ['a', 'b', 'c']) await displace(`early ${text}`);
  await erase(operator.store, first.id);
  await displace('late');
  await visibleTexts(server);
  const before = server.disk.calls.length;
  await erase(server.store, second.id);
  const calls = server.disk.calls.slice(before).filter((call) => call === `overwrite ${LOG}`);
  assert.equal(calls.length, 2, 'the text of the record, and the displaced line since the other erase');
  for (const text of ['early a', 'late']) assert.equal(machine.files()[LOG]!.split(text).length, 2, text);
});

it('if the disk is full during erase nothing is erased, and a second erase removes the text', async (test) => {
  const machine = new Machine(test);
  const [operator, server] = [await machine.start(), await machine.start()];
  const { record } = await postTo(server, SECRET);
  const eraseIt = () => erase(operator.store, record.id, 'private data');
  operator.disk.failNext('append', 'ENOSPC', /^log/);
  await assert.rejects(eraseIt(), { stored: 'nothing' });
  assert.deepEqual([await visibleTexts(operator), await visibleTexts(server)], [[SECRET], [SECRET]]);
  assert.equal(await eraseIt(), true);
  assert.doesNotMatch(bytesOf(machine.folder), /very private/);
});

it('if a text cannot be overwritten the record is no longer readable, and a second erase removes its text', async (test) => {
  const machine = new Machine(test);
  const [operator, server] = [await machine.start(), await machine.start()];
  const { record } = await postTo(server, SECRET);
  const eraseIt = () => erase(operator.store, record.id, 'private data');
  operator.disk.failNext('overwrite', 'EIO');
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

it('a line that was changed behind the store stops its own erase, not the later ones', async (test) => {
  const machine = new Machine(test);
  const a = await machine.start();
  const [{ record: changed }, { record: other }, { record: last }] = [
    await postTo(a, 'changed'),
    await postTo(a, SECRET),
    await postTo(a, 'the last one'),
  ];
  a.disk.failNext('overwrite', 'EIO');
  await assert.rejects(erase(a.store, changed.id), { stored: 'unknown' });
  const log = machine.files()[LOG]!;
  const damaged = log.replace(`"id":"${changed.id}"`, `"id":"${changed.id.replace('post', 'posT')}"`);
  writeFileSync(machine.path(LOG), damaged, 'latin1');
  await assert.rejects(erase(a.store, other.id), /byte \d+: this is not the line that was erased/);
  assert.doesNotMatch(bytesOf(machine.folder), /very private/);
  assert.equal(await erase(a.store, last.id), true);
  assert.doesNotMatch(bytesOf(machine.folder), /the last one/);
});

/** @returns a store with a post in an earlier segment and one behind it, and how to erase the first */
async function withErase(
  test: TestContext,
): Promise<{ machine: Machine; a: Process; eraseIt: () => Promise<boolean> }> {
  const machine = new Machine(test);
  const a = await machine.start();
  const { record } = await postTo(a, SECRET);
  await postInNewSegment(a, 'another');
  return { machine, a, eraseIt: () => erase(a.store, record.id) };
}

for (const way of ['fails', 'is killed'] as const) {
  it(`if any system call of an erase ${way}, the text is gone when a process has opened the folder, or nothing was erased`, async (test) => {
    const { a: model, eraseIt: eraseModel } = await withErase(test);
    const before = model.disk.calls.length;
    await eraseModel();
    for (const [index, call] of model.disk.calls.slice(before).entries()) {
      const { machine, a, eraseIt } = await withErase(test);
      if (way === 'fails') a.disk.failCall(index + 1, 'EIO');
      else a.disk.killBefore(index + 1);
      const outcome = await writeOutcome(eraseIt());
      if (way === 'is killed') a.disk.kill();
      if (outcome === 'stored') assert.doesNotMatch(bytesOf(machine.folder), /very private/, call);
      const next = await machine.start();
      const texts = await visibleTexts(next);
      const isErased = !texts.includes(SECRET);
      if (outcome !== 'unknown') assert.equal(isErased, outcome === 'stored', call);
      assert.deepEqual(texts, isErased ? ['another'] : [SECRET, 'another'], call);
      assert.equal(bytesOf(machine.folder).includes(SECRET), !isErased, call);
      await postTo(next, 'afterwards');
      assert.deepEqual(await visibleTexts(await machine.start()), [...texts, 'afterwards'], call);
      await machine.stop();
    }
  });
}
