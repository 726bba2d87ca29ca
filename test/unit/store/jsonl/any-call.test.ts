import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { Machine, post, visibleTexts, type Process } from '../../../support/store/machine.ts';

const LEFTOVER = /^\.tmp-|^log-000002/;

/** Prepares a state in which the next write does more than append a line. @returns the acknowledged texts */
type Prelude = (a: Process, b: Process) => Promise<string[]>;

const PRELUDES: Record<string, Prelude> = {
  'a first write with a key': async () => [],
  'a write after a write of another process': async (_, b) => (
    await post(b, 'news', anOrigin('v')), ['news']
  ),
  'a log rotation': async (a, b) => {
    a.disk.failNext('sync', 'EIO');
    assert.equal(await writeOutcome(post(a, 'unknown')), 'unknown');
    await post(b, 'meanwhile');
    return ['unknown', 'meanwhile'];
  },
  'a switch to a log that another process rotated': async (_, b) => {
    b.disk.failNext('sync', 'EIO');
    assert.equal(await writeOutcome(post(b, 'unknown')), 'unknown');
    await post(b, 'in the new log');
    return ['unknown', 'in the new log'];
  },
};

interface Scene {
  machine: Machine;
  a: Process;
  b: Process;
  stored: string[];
}

async function prepare(t: TestContext, prelude: Prelude): Promise<Scene> {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  return { machine, a, b, stored: await prelude(a, b) };
}

/** @returns the system calls of the write that follows the prelude */
async function callsOf(t: TestContext, prelude: Prelude): Promise<string[]> {
  const { a } = await prepare(t, prelude);
  const before = a.disk.calls.length;
  await post(a, 'x', anOrigin('v'));
  return a.disk.calls.slice(before);
}

for (const [description, prelude] of Object.entries(PRELUDES)) {
  test(`${description}: if any system call fails, the write fails or its outcome is unknown, and the next write succeeds`, async (t) => {
    for (const [index, call] of (await callsOf(t, prelude)).entries()) {
      const { machine, a, b, stored } = await prepare(t, prelude);
      a.disk.failCall(index + 1, 'EIO');
      const outcome = await writeOutcome(post(a, 'x', anOrigin('v')));
      assert.equal(await writeOutcome(post(a, 'after')), 'stored', call);
      const texts = await visibleTexts(a);
      assert.deepEqual(
        texts.filter((text) => text !== 'x'),
        [...stored, 'after'],
        call,
      );
      if (outcome !== 'unknown') assert.equal(texts.includes('x'), outcome === 'stored', call);
      for (const reader of [b, await machine.start()])
        assert.deepEqual(await visibleTexts(reader), texts, call);
      await post(b, 'b goes on');
      assert.deepEqual(await visibleTexts(a), [...texts, 'b goes on'], call);
      assert.deepEqual([a.disk.openFiles, b.disk.openFiles], [1, 1], call);
      const current = machine.files()['CURRENT']!.trim();
      const left = Object.keys(machine.files()).filter((name) => LEFTOVER.test(name) && name !== current);
      if (!call.startsWith('unlink') && current.startsWith('log-000002')) assert.deepEqual(left, [], call);
      await machine.stop();
    }
  });

  test(`${description}: a process killed before any system call loses no acknowledged write`, async (t) => {
    for (const [index, call] of [...(await callsOf(t, prelude)), 'none'].entries()) {
      const { machine, a, b, stored } = await prepare(t, prelude);
      a.disk.killBefore(index + 1);
      const outcome = await writeOutcome(post(a, 'x', anOrigin('v')));
      a.disk.kill();
      const readers = [b, await machine.start(), await machine.start()];
      await post(b, 'after');
      const texts = await visibleTexts(b);
      assert.deepEqual(
        texts.filter((text) => text !== 'x'),
        [...stored, 'after'],
        call,
      );
      if (outcome === 'stored') assert.ok(texts.includes('x'), call);
      for (const reader of readers) {
        assert.deepEqual(await visibleTexts(reader), texts, call);
        await post(reader, 'and on');
        texts.push('and on');
      }
      assert.deepEqual(await visibleTexts(await machine.start()), texts);
      await machine.stop();
    }
  });
}

test('if any system call of a start fails, the start rejects, leaves no file open, and the next start succeeds', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'stored', anOrigin('v'));
  const calls = (await machine.start()).disk.calls.length;
  for (let number = 1; number <= calls; number++) {
    const disk = new GatedDisk();
    disk.failCall(number, 'EIO');
    await assert.rejects(machine.start(disk), { code: 'EIO' });
    assert.equal(disk.openFiles, 0, disk.calls.at(-1));
    assert.deepEqual(await visibleTexts(await machine.start()), ['stored']);
  }
});
