import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Machine, post, visibleTexts } from '../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

test('a reader syncs a line that another process has not synced before it returns it', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const unsynced = b.disk.stopBefore('sync');
  const written = post(b, 'by b');
  await unsynced.arrived;
  a.disk.calls.length = 0;
  assert.deepEqual(await visibleTexts(a), ['by b']);
  assert.ok(a.disk.calls.includes(`sync ${LOG}`));
  unsynced.release();
  await written;
});

test('a writer syncs a line that another process has not synced before it appends', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const unsynced = b.disk.stopBefore('sync');
  const written = post(b, 'by b');
  await unsynced.arrived;
  a.disk.calls.length = 0;
  await post(a, 'by a');
  const writing = a.disk.calls.filter((call) => /^(sync|append) log/.test(call));
  assert.deepEqual(writing, [`sync ${LOG}`, `append ${LOG}`, `sync ${LOG}`]);
  unsynced.release();
  await written;
});

test('a read returns synced lines only, also if a line arrives between two system calls of the reader', async (t) => {
  for (const stop of ['stopBefore', 'stopAfter'] as const)
    for (const call of ['sync', 'read'] as const) {
      const machine = new Machine(t);
      const [a, b] = [await machine.start(), await machine.start()];
      await post(b, 'first');
      const between = a.disk[stop](call);
      const reading = visibleTexts(a);
      await between.arrived;
      const unsynced = b.disk.stopBefore('sync');
      const written = post(b, 'second');
      await unsynced.arrived;
      between.release();
      const texts = await reading;
      const safe = readFileSync(machine.path(LOG)).subarray(0, machine.durable.get(LOG));
      for (const text of texts) assert.ok(safe.includes(`"${text}"`), `${text}, ${stop} ${call}`);
      unsynced.release();
      await written;
    }
});

test('opening the store syncs the lines that it then returns', async (t) => {
  const machine = new Machine(t);
  const b = await machine.start();
  const unsynced = b.disk.stopBefore('sync');
  const written = post(b, 'by b');
  await unsynced.arrived;
  const a = await machine.start();
  assert.deepEqual(await visibleTexts(a), ['by b']);
  assert.ok(a.disk.calls.includes(`sync ${LOG}`));
  unsynced.release();
  await written;
});

test('a read neither returns an unsynced line of its own process nor waits for its sync', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'first');
  const [appended, unsynced] = [a.disk.stopAfter('append'), a.disk.stopBefore('sync')];
  const written = post(a, 'second');
  await appended.arrived;
  const whileAppending = visibleTexts(a);
  appended.release();
  await unsynced.arrived;
  assert.deepEqual(await whileAppending, ['first']);
  assert.deepEqual(await visibleTexts(a), ['first']);
  unsynced.release();
  await written;
  assert.deepEqual(await visibleTexts(a), ['first', 'second']);
});

test('a read does not wait for the sync of a write that first caught up with another process', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(b, 'by b');
  const catchingUp = a.disk.stopBefore('sync');
  const written = post(a, 'by a');
  await catchingUp.arrived;
  const reading = visibleTexts(a);
  const unsynced = a.disk.stopBefore('sync');
  catchingUp.release();
  await unsynced.arrived;
  assert.deepEqual(await reading, ['by b']);
  unsynced.release();
  await written;
});

test('a read waits if an unsynced own line precedes a line of another process, and returns both', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const unsynced = a.disk.stopBefore('sync');
  const written = post(a, 'by a');
  await unsynced.arrived;
  await post(b, 'by b');
  const reading = visibleTexts(a);
  unsynced.release();
  assert.deepEqual(await reading, ['by a', 'by b']);
  await written;
});

test('a read that starts while another one catches up returns everything written before it started', async (t) => {
  for (const call of ['read', 'sync'] as const) {
    const machine = new Machine(t);
    const [a, b] = [await machine.start(), await machine.start()];
    await post(b, '1');
    const catchingUp = a.disk.stopBefore(call, /^log/);
    const first = visibleTexts(a);
    await catchingUp.arrived;
    await post(b, '2');
    const [second, third] = [visibleTexts(a), visibleTexts(a)];
    catchingUp.release();
    assert.deepEqual(await first, ['1', '2'].slice(0, (await first).length));
    assert.deepEqual(
      [await second, await third],
      [
        ['1', '2'],
        ['1', '2'],
      ],
    );
  }
});
