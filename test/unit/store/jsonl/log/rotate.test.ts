import assert from 'node:assert/strict';
import { basename } from 'node:path';
import test from 'node:test';
import { anOrigin } from '../../../../support/store/records.ts';
import { writeOutcome } from '../../../../support/store/write-outcome.ts';
import {
  postWithFailedSync,
  Machine,
  post,
  postAfterRotation,
  visibleTexts,
} from '../../../../support/store/machine.ts';
import { hide, idempotentHit } from '../../../../support/store/writes.ts';

const OLD = 'log-000001.jsonl';

test('rotation drops ignored records and copies all others, with write history and hidden state', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const trace = anOrigin('v', { key: 'key-00001' });
  const {
    record: { id },
  } = await post(a, '1', trace);
  await post(b, '2', anOrigin('v'));
  await hide(a.store, id, 'why');
  a.disk.interpose('append', () => post(b, '3'), /^log/);
  await post(a, '4');
  const before = machine.files()[OLD]!;
  await postAfterRotation(a);
  const after = machine.files()[machine.files()['CURRENT']!.trim()]!;
  assert.deepEqual([before.split('"4"').length, after.split('"4"').length], [3, 2]);
  for (const reader of [a, b, await machine.start()]) {
    assert.deepEqual(await visibleTexts(reader), ['2', '3', '4', 'unknown', 'renewed']);
    assert.equal((await reader.store.read.recentWriteAges('v', 'feed', 1000, 9)).length, 2);
    assert.equal((await idempotentHit(reader.store, 'post', trace, 1000))?.id, id);
    assert.equal(await hide(reader.store, id, 'again'), false);
  }
});

test('rotation copies a log of many megabytes completely', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const texts = Array.from({ length: 60 }, (_, number) => `${number}${'\u{1F3E1}'.repeat(20_000)}`);
  await Promise.all(texts.map((text) => post(a, text)));
  await postAfterRotation(a);
  const there = await visibleTexts(await machine.start());
  assert.ok(there.length === 62 && texts.every((text, index) => text === there[index]));
});

test('a next-log record that lost the race is appended again after the winner', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithFailedSync(a);
  for (const text of ['1', '2']) a.disk.interpose('append', () => post(b, text), new RegExp(OLD));
  await post(a, '3');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['unknown', '1', '2', '3']);
});

test('a next-log record with unknown outcome leads no process to a removed log', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithFailedSync(a);
  await visibleTexts(b);
  const behind = b.disk.stopBefore('append', new RegExp(OLD));
  const displaced = post(b, '2');
  await behind.arrived;
  const sealed = a.disk.stopAfter('append', new RegExp(OLD));
  const writing = writeOutcome(post(a, '1'));
  await sealed.arrived;
  behind.release();
  await displaced;
  a.disk.failNext('read', 'EIO', new RegExp(OLD));
  sealed.release();
  assert.equal(await writing, 'nothing');
  await post(a, '3');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['unknown', '2', '3']);
});

test('if two processes rotate at the same time one wins, and the other follows it', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithFailedSync(a, '1');
  await visibleTexts(b);
  await postWithFailedSync(b, '2');
  const stopped = a.disk.stopBefore('append', new RegExp(OLD));
  const writing = post(a, 'by a');
  await stopped.arrived;
  await post(b, 'by b');
  stopped.release();
  await writing;
  const texts = ['1', '2', 'by b', 'by a'];
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual((await visibleTexts(reader)).toSorted(), texts.toSorted());
  assert.equal(Object.keys(machine.files()).filter((name) => name.startsWith('log-000002')).length, 1);
});

test('the new log and its name are durable before the old log gets its next-log record', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await postWithFailedSync(a);
  a.disk.interpose(
    'append',
    () => {
      const [name = '', bytes = ''] =
        Object.entries(machine.files()).find(([file]) => file.startsWith('log-000002')) ?? [];
      assert.equal(machine.durable.get(name), bytes.length);
      assert.deepEqual(a.disk.calls.slice(-3, -1), [
        `sync ${name}`,
        `syncFolder ${basename(machine.folder)}`,
      ]);
    },
    new RegExp(OLD),
  );
  await post(a, 'x');
});

test('rotation removes the files that a killed rotation left', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await postWithFailedSync(a);
  a.disk.interpose(
    'append',
    () => {
      a.disk.kill();
    },
    new RegExp(OLD),
  );
  await writeOutcome(post(a, 'never'));
  const newLogs = (): string[] =>
    Object.keys(machine.files()).filter((name) => name.startsWith('log-000002'));
  const [left] = newLogs();
  assert.ok(left !== undefined);
  await postAfterRotation(b);
  assert.equal(newLogs().length, 1);
  assert.ok(!newLogs().includes(left));
});
