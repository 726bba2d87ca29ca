import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { Machine, post, visibleTexts, type Process } from '../../../support/store/machine.ts';

const LEFTOVER = /^\.tmp-|^log-000002/;

/** What makes the next write do more than append a line. @returns texts that were acknowledged */
type Prelude = (a: Process, b: Process) => Promise<string[]>;

const PRELUDES: Record<string, Prelude> = {
  'a first write with a key': async () => [],
  'a write behind news of another process': async (_, b) => (await post(b, 'news', anOrigin('v')), ['news']),
  'a renewal': async (a, b) => {
    a.disk.failNext('sync', 'EIO');
    assert.equal(await writeOutcome(post(a, 'unknown')), 'unknown');
    await post(b, 'meanwhile');
    return ['unknown', 'meanwhile'];
  },
  'a move to a log that another process began': async (_, b) => {
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
  kept: string[];
}

async function setOut(t: TestContext, prelude: Prelude): Promise<Scene> {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  return { machine, a, b, kept: await prelude(a, b) };
}

/** @returns the system calls that the write makes which follows. */
async function callsOf(t: TestContext, prelude: Prelude): Promise<string[]> {
  const { a } = await setOut(t, prelude);
  const before = a.disk.calls.length;
  await post(a, 'x', anOrigin('v'));
  return a.disk.calls.slice(before);
}

for (const [what, prelude] of Object.entries(PRELUDES)) {
  test(`${what}: any call may fail, then the write was not made or nobody knows, and the next is`, async (t) => {
    for (const [index, call] of (await callsOf(t, prelude)).entries()) {
      const { machine, a, b, kept } = await setOut(t, prelude);
      a.disk.failCall(index + 1, 'EIO');
      const outcome = await writeOutcome(post(a, 'x', anOrigin('v')));
      assert.equal(await writeOutcome(post(a, 'after')), 'stored', call);
      const texts = await visibleTexts(a);
      assert.deepEqual(
        texts.filter((text) => text !== 'x'),
        [...kept, 'after'],
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

  test(`${what}: killed before any call, no process loses what was acknowledged`, async (t) => {
    for (const [index, call] of [...(await callsOf(t, prelude)), 'none'].entries()) {
      const { machine, a, b, kept } = await setOut(t, prelude);
      a.disk.killBefore(index + 1);
      const outcome = await writeOutcome(post(a, 'x', anOrigin('v')));
      a.disk.kill();
      const readers = [b, await machine.start(), await machine.start()];
      await post(b, 'after');
      const texts = await visibleTexts(b);
      assert.deepEqual(
        texts.filter((text) => text !== 'x'),
        [...kept, 'after'],
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

test('a start at which any call fails starts at the next try, and leaves no file open', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'kept', anOrigin('v'));
  const calls = (await machine.start()).disk.calls.length;
  for (let number = 1; number <= calls; number++) {
    const disk = new GatedDisk();
    disk.failCall(number, 'EIO');
    await assert.rejects(machine.start(disk), { code: 'EIO' });
    assert.equal(disk.openFiles, 0, disk.calls.at(-1));
    assert.deepEqual(await visibleTexts(await machine.start()), ['kept']);
  }
});
