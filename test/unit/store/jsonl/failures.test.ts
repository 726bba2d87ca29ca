import assert from 'node:assert/strict';
import test from 'node:test';
import { anOrigin } from '../../../support/store/records.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { Machine, post, visibleTexts } from '../../../support/store/machine.ts';
import { idempotentHit } from '../../../support/store/writes.ts';

const REASONS = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EIO: 'the disk does not take writes',
};

for (const [code, reason] of Object.entries(REASONS)) {
  test(`if an append fails with ${code} nothing is stored, and later writes succeed`, async (t) => {
    const machine = new Machine(t);
    const [a, b] = [await machine.start(), await machine.start()];
    await post(a, 'before');
    a.disk.failNext('append', code);
    assert.deepEqual(await Promise.all(['x', 'y'].map((text) => writeOutcome(post(a, text)))), [
      'nothing',
      'nothing',
    ]);
    assert.deepEqual(await visibleTexts(a), ['before']);
    a.disk.failNext('append', code);
    assert.deepEqual(await a.store.health(), { writable: false, reason, notifying: true });
    assert.deepEqual(await a.store.health(), { writable: true, reason: null, notifying: true });
    await post(a, 'after');
    for (const reader of [a, b, await machine.start()])
      assert.deepEqual(await visibleTexts(reader), ['before', 'after']);
    assert.equal(a.reports.length, 2);
    assert.match(a.reports.join('\n'), new RegExp(`^${reason}: .*\nwrites are accepted again$`));
    assert.ok(!JSON.stringify(await a.store.health()).includes(machine.folder));
  });
}

test('an append that fails after all bytes were written is stored', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  a.disk.failAfter('append', 'EIO', /^log/);
  assert.equal(await writeOutcome(post(a, 'x')), 'stored');
  assert.deepEqual(await visibleTexts(await machine.start()), ['x']);
});

test('if fsync fails the write goes on in a new segment at once, and is stored', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const trace = anOrigin('v', { key: 'key-00001' });
  await post(a, 'before');
  a.disk.failNext('sync', 'EIO', /^log/);
  assert.equal(await writeOutcome(post(a, 'in the new segment', trace)), 'stored');
  await post(b, 'by b');
  const earlier = await idempotentHit(a.store, 'post', trace, 1000);
  assert.ok(earlier?.sameContent);
  await post(a, 'after');
  const all = ['before', 'in the new segment', 'by b', 'after'];
  for (const reader of [a, b, await machine.start()]) assert.deepEqual(await visibleTexts(reader), all);
  await post(b, 'b goes on');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), [...all, 'b goes on']);
  assert.ok('log-000002.jsonl' in machine.files());
  assert.deepEqual(a.reports, [
    'goes on in log-000002.jsonl, since the last lines before it were not known to be synced',
  ]);
});

test('if fsync fails and no segment can be begun the outcome is unknown, and the next write begins one', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, 'before');
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.failNext('open', 'EIO', /^\.tmp-/);
  assert.equal(await writeOutcome(post(a, 'unknown')), 'unknown');
  assert.equal((await a.store.health()).writable, true);
  await post(b, 'by b');
  await post(a, 'after');
  const all = ['before', 'unknown', 'by b', 'after'];
  for (const reader of [a, b, await machine.start()]) assert.deepEqual(await visibleTexts(reader), all);
  assert.equal(a.reports.at(-1), 'writes are accepted again');
});

test('if the end of the log cannot be read back after an append, the outcome is unknown', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const appended = a.disk.stopAfter('append', /^log/);
  const writing = writeOutcome(post(a, 'unknown'));
  await appended.arrived;
  await post(b, 'by b');
  a.disk.failNext('read', 'EIO', /^log/);
  appended.release();
  assert.equal(await writing, 'unknown');
  await post(a, 'after');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['unknown', 'by b', 'after']);
});

test('if catching up with other processes fails nothing is stored, reads work from memory, and no change is lost', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(b, '1');
  a.disk.failNext('read', 'EIO', /^log/);
  assert.equal(await writeOutcome(post(a, 'never')), 'nothing');
  await post(a, '2');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['1', '2']);
});

test('if the sync of what another process wrote fails, reads show it and go on in a new segment', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(b, '1');
  a.disk.failNext('sync', 'EIO', /^log/);
  assert.deepEqual(await visibleTexts(a), ['1']);
  assert.ok('log-000002.jsonl' in machine.files());
  await post(b, '2');
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.failNext('open', 'EIO', /^\.tmp-000003/);
  assert.deepEqual(await visibleTexts(a), ['1', '2']);
  await post(b, '3');
  assert.deepEqual(await visibleTexts(a), ['1', '2', '3']);
  await post(a, '4');
  assert.ok('log-000003.jsonl' in machine.files());
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['1', '2', '3', '4']);
});

test('if a key of the day that another process made cannot be read, its lines are applied by the next write', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(b, '1', anOrigin('v'));
  a.disk.failNext('list', 'EMFILE', /keys/);
  assert.equal(await writeOutcome(post(a, 'never')), 'nothing');
  assert.deepEqual(await visibleTexts(a), ['1']);
  assert.equal((await a.store.read.recentWriteAges('v', 'feed', 1000, 9)).length, 1);
  await post(a, '2');
  assert.deepEqual(await visibleTexts(b), ['1', '2']);
});

test('if the key of the day cannot be created that write stores nothing, and others succeed', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  a.disk.failNext('link', 'ENOSPC', /^2026/);
  const writes = [writeOutcome(post(a, 'traced', anOrigin('v'))), writeOutcome(post(a, 'untraced'))];
  assert.deepEqual(await Promise.all(writes), ['nothing', 'stored']);
  assert.equal(await writeOutcome(post(a, 'traced again', anOrigin('v'))), 'stored');
  assert.deepEqual(await visibleTexts(await machine.start()), ['untraced', 'traced again']);
});
