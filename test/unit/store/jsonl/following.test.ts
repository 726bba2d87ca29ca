import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import type { Change } from '#store/port/store.ts';
import {
  Machine,
  post,
  postInNewSegment,
  postWithUnknownOutcome,
  visibleTexts,
} from '../../../support/store/machine.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { hide } from '../../../support/store/writes.ts';

const FIRST = 'log-000001.jsonl';
const SECOND = 'log-000002.jsonl';

test('a process paused before it links the next segment blocks no other process', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  a.disk.failNext('sync', 'EIO', /^log/);
  const stopped = a.disk.stopBefore('link', /^log-000002/);
  const writing = post(a, 'by a');
  await stopped.arrived;
  await post(b, 'by b');
  assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  const c = await machine.start();
  assert.deepEqual(await visibleTexts(c), ['by a', 'by b']);
  stopped.release();
  await writing;
  for (const reader of [a, b, c, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['by a', 'by b']);
});

test('a process paused while it begins a segment, two segments later, misleads no other process', async (t) => {
  for (const call of ['link', 'syncFolder', 'list', 'unlink', 'open'] as const) {
    const machine = new Machine(t);
    const [a, b] = [await machine.start(), await machine.start()];
    a.disk.failNext('sync', 'EIO', /^log/);
    const linking = a.disk.stopBefore('link', /^log-000002/);
    const writing = post(a, 'late');
    await linking.arrived;
    const stopped = call === 'link' ? linking : a.disk.stopBefore(call);
    if (call !== 'link') linking.release();
    // `open` is reached only after the name was found to be there already.
    await stopped.arrived;
    await postInNewSegment(b, '1');
    await postInNewSegment(b, '2');
    assert.equal(machine.segments().at(-1), 'log-000004.jsonl', call);
    const c = await machine.start();
    assert.deepEqual(await visibleTexts(c), ['late', '1', '2'], call);
    await post(c, '3');
    stopped.release();
    await writing;
    for (const reader of [a, b, c, await machine.start()])
      assert.deepEqual(await visibleTexts(reader), ['late', '1', '2', '3'], call);
    await post(a, '4');
    assert.deepEqual(await visibleTexts(b), ['late', '1', '2', '3', '4'], call);
  }
});

test('a process that follows a segment whose name is not yet durable syncs the folder before it appends', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  a.disk.failNext('sync', 'EIO', /^log/);
  const stopped = a.disk.stopAfter('link', /^log-000002/);
  const writing = post(a, 'by a');
  await stopped.arrived;
  const isSync = (call: string): boolean => call === `syncFolder ${basename(machine.folder)}`;
  const c = await machine.start();
  await post(c, 'by c');
  const appended = c.disk.calls.findIndex((call) => call.startsWith('append log'));
  assert.ok(c.disk.calls.slice(0, appended).some(isSync));
  b.disk.calls.length = 0;
  assert.deepEqual(await visibleTexts(b), ['by a', 'by c']);
  assert.ok(b.disk.calls.some(isSync));
  stopped.release();
  await writing;
});

test('a start with a corrupt next segment rejects and changes nothing', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'first');
  await postInNewSegment(a, 'second');
  a.disk.kill();
  const bytes = machine.files()[SECOND]!;
  for (const at of [50, bytes.indexOf('second')]) {
    writeFileSync(machine.path(SECOND), `${bytes.slice(0, at)}x${bytes.slice(at + 1)}`, 'latin1');
    const before = machine.files();
    await assert.rejects(machine.start(), CorruptionError);
    assert.deepEqual(machine.files(), before);
  }
});

test('a sealed segment whose successor is missing is damage, unless the file that the seal names is there', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'first');
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.interpose(
    'link',
    () => {
      a.disk.kill();
    },
    /^log-000002/,
  );
  assert.equal(await writeOutcome(post(a, 'second')), 'unknown');
  assert.deepEqual(machine.segments(), [FIRST]);
  const b = await machine.start();
  assert.deepEqual(await visibleTexts(b), ['first', 'second']);
  assert.deepEqual(machine.segments(), [FIRST, SECOND]);
  for (const name of Object.keys(machine.files()).filter((each) => each !== FIRST))
    rmSync(machine.path(name));
  const before = machine.files();
  await assert.rejects(machine.start(), CorruptionError);
  assert.deepEqual(machine.files(), before);
});

test('a process that missed two segments notifies its listeners of every change once', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const {
    record: { id },
  } = await post(a, 'known');
  const notified: Change[] = [];
  a.store.watch((change) => {
    notified.push(change);
  });
  await post(b, '1');
  await postInNewSegment(b, '2');
  await Promise.all([hide(b.store, id), post(b, '3')]);
  await postInNewSegment(b, '4');
  await post(b, '5');
  assert.equal(machine.segments().length, 3);
  assert.deepEqual(await visibleTexts(a), ['1', '2', '3', '4', '5']);
  assert.deepEqual(notified.map(({ action }) => action).toSorted(), [
    ...Array.from({ length: 5 }, () => 'add'),
    'hide',
  ]);
  assert.ok(notified.every((change) => (change.id === id) === (change.action === 'hide')));
});

test('a process whose segment lost the race notifies its listeners of the changes that it had not read', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const notified: string[] = [];
  a.store.watch((change) => {
    notified.push(change.id);
  });
  await postWithUnknownOutcome(a);
  const {
    record: { id },
  } = await post(b, 'news');
  const stopped = a.disk.stopBefore('append', new RegExp(FIRST));
  const writing = post(a, 'by a');
  await stopped.arrived;
  await postInNewSegment(b);
  stopped.release();
  await writing;
  assert.ok(notified.includes(id));
  assert.equal(notified.length, new Set(notified).size);
  assert.equal(notified.length, (await visibleTexts(a)).length);
  assert.equal(machine.segments().length, 2);
});
