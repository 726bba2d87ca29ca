import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import type { Change } from '#store/store.ts';

import { writeOutcome } from '../../../support/store/write-outcome.ts';
import {
  postWithFailedSync,
  Machine,
  post,
  postAfterRotation,
  visibleTexts,
} from '../../../support/store/machine.ts';
import { hide } from '../../../support/store/writes.ts';

const OLD = 'log-000001.jsonl';

test('a process paused before it renames CURRENT blocks no other process', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithFailedSync(a);
  const stopped = a.disk.stopBefore('rename', /CURRENT/);
  const writing = post(a, 'by a');
  await stopped.arrived;
  await post(b, 'by b');
  const c = await machine.start();
  assert.deepEqual(await visibleTexts(c), ['unknown', 'by b']);
  stopped.release();
  await writing;
  for (const reader of [a, b, c, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['unknown', 'by b', 'by a']);
});

test('a paused process that renames a stale CURRENT two generations later misleads no other process', async (t) => {
  for (const call of ['rename', 'syncFolder', 'open', 'list'] as const) {
    const machine = new Machine(t);
    const [a, b] = [await machine.start(), await machine.start()];
    await postWithFailedSync(a);
    const stopped = a.disk.stopBefore('rename', /CURRENT/);
    const writing = post(a, 'late');
    await stopped.arrived;
    await postAfterRotation(b, '1');
    await postAfterRotation(b, '2');
    assert.match(machine.files()['CURRENT']!, /^log-000004/);
    const again = call === 'rename' ? undefined : a.disk.stopBefore(call);
    stopped.release();
    await again?.arrived;
    if (call !== 'rename') assert.match(machine.files()['CURRENT']!, /^log-000002/);
    const c = await machine.start();
    assert.deepEqual((await visibleTexts(c)).slice(0, 5), ['unknown', 'unknown', '1', 'unknown', '2']);
    await post(c, '3');
    again?.release();
    await writing;
    const texts = await visibleTexts(await machine.start());
    assert.deepEqual(texts.toSorted(), ['1', '2', '3', 'late', 'unknown', 'unknown', 'unknown']);
    for (const reader of [a, b, c]) assert.deepEqual(await visibleTexts(reader), texts);
  }
});

test('a process that follows a CURRENT which is not yet durable syncs the folder before it appends', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithFailedSync(a);
  const stopped = a.disk.stopAfter('rename', /CURRENT/);
  const writing = post(a, 'by a');
  await stopped.arrived;
  const c = await machine.start();
  await post(c, 'by c');
  const isSync = (call: string): boolean => call === `syncFolder ${basename(machine.folder)}`;
  const appended = c.disk.calls.findIndex((call) => call.startsWith('append log'));
  assert.ok(c.disk.calls.slice(0, appended).some(isSync));
  b.disk.calls.length = 0;
  assert.deepEqual(await visibleTexts(b), ['unknown', 'by c']);
  assert.ok(b.disk.calls.some(isSync));
  stopped.release();
  await writing;
});

test('a start with a corrupt new log leaves the old log and CURRENT unchanged', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'kept');
  await postWithFailedSync(a);
  a.disk.interpose(
    'rename',
    () => {
      a.disk.kill();
    },
    /CURRENT/,
  );
  await writeOutcome(post(a, 'never'));
  const before = machine.files();
  const next = Object.keys(before).find((name) => name.startsWith('log-000002'))!;
  writeFileSync(machine.path(next), `${before[next]!.slice(0, 50)}x${before[next]!.slice(51)}`, 'latin1');
  await assert.rejects(machine.start(), CorruptionError);
  assert.equal(machine.files()[OLD], before[OLD]);
  assert.equal(machine.files()['CURRENT'], before['CURRENT']);
});

test('a process that missed two log rotations notifies its listeners of every change once', async (t) => {
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
  await postAfterRotation(b, '2');
  await Promise.all([hide(b.store, id), post(b, '3')]);
  await postAfterRotation(b, '4');
  await post(b, '5');
  const texts = (await visibleTexts(a)).filter((text) => text !== 'unknown');
  assert.deepEqual(texts, ['1', '2', '3', '4', '5']);
  assert.deepEqual(notified.map(({ action }) => action).toSorted(), [
    ...Array.from({ length: 7 }, () => 'add'),
    'hide',
  ]);
  assert.ok(notified.every((change) => (change.id === id) === (change.action === 'hide')));
});

test('a process whose rotation lost the race notifies its listeners of the changes that it had not read', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const notified: string[] = [];
  a.store.watch((change) => {
    notified.push(change.id);
  });
  await postWithFailedSync(a);
  const {
    record: { id },
  } = await post(b, 'news');
  const stopped = a.disk.stopBefore('append', new RegExp(OLD));
  const writing = post(a, 'by a');
  await stopped.arrived;
  await postAfterRotation(b);
  stopped.release();
  await writing;
  assert.ok(notified.includes(id));
  assert.equal(notified.length, new Set(notified).size);
  assert.equal(notified.length, (await visibleTexts(a)).length);
});
