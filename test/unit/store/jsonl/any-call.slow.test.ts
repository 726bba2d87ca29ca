import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { anOrigin } from '../../../support/store/records.ts';
import { writeSnapshot } from '../../../support/store/snapshot.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import {
  descriptorsOf,
  Machine,
  post,
  postInNewSegment,
  postWithUnknownOutcome,
  visibleTexts,
  type Process,
} from '../../../support/store/machine.ts';

interface Scene {
  readonly machine: Machine;
  /** The process whose next write is interrupted. */
  readonly a: Process;
  readonly b: Process;
  /** The acknowledged texts. */
  readonly stored: readonly string[];
}

/** Prepares a state in which the next write does more than append a line. */
type Prelude = (machine: Machine) => Promise<Omit<Scene, 'machine'>>;

const PRELUDES: Record<string, Prelude> = {
  'a first write with a key': async (machine) => ({
    a: await machine.start(),
    b: await machine.start(),
    stored: [],
  }),
  'a write after a write of another process': async (machine) => {
    const [a, b] = [await machine.start(), await machine.start()];
    await post(b, 'news', anOrigin('v'));
    return { a, b, stored: ['news'] };
  },
  'a write whose sync fails, which begins a segment': async (machine) => {
    const [a, b] = [await machine.start(), await machine.start()];
    await post(a, 'before');
    a.disk.failNext('sync', 'EIO', /^log-000001/);
    return { a, b, stored: ['before'] };
  },
  'a segment begun after a write of unknown outcome': async (machine) => {
    const [a, b] = [await machine.start(), await machine.start()];
    await postWithUnknownOutcome(a);
    await post(b, 'meanwhile');
    return { a, b, stored: ['unknown', 'meanwhile'] };
  },
  'a switch to a segment that another process began': async (machine) => {
    const [a, b] = [await machine.start(), await machine.start()];
    await postInNewSegment(b);
    await post(b, 'behind it');
    return { a, b, stored: ['in a new segment', 'behind it'] };
  },
  'a first write on lines that are not proved to be synced': async (machine) => {
    const b = await machine.start();
    await post(b, 'unproved');
    return { a: await machine.start(), b, stored: ['unproved'] };
  },
};

async function prepare(t: TestContext, prelude: Prelude): Promise<Scene> {
  const machine = new Machine(t);
  return { machine, ...(await prelude(machine)) };
}

/** @returns the system calls of the write that follows the prelude */
async function callsOf(t: TestContext, prelude: Prelude): Promise<string[]> {
  const { machine, a } = await prepare(t, prelude);
  const before = a.disk.calls.length;
  await post(a, 'x', anOrigin('v'));
  const calls = a.disk.calls.slice(before);
  await machine.stop();
  return calls;
}

const temporaries = (machine: Machine): string[] =>
  Object.keys(machine.files()).filter((name) => name.startsWith('.tmp-'));

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
      const open = descriptorsOf(machine);
      assert.deepEqual([a.disk.openFiles, b.disk.openFiles], [open, open], call);
      await postInNewSegment(b);
      assert.deepEqual(temporaries(machine), [], call);
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
      assert.deepEqual(await visibleTexts(await machine.start()), texts, call);
      await postInNewSegment(b);
      assert.deepEqual(temporaries(machine), [], call);
      await machine.stop();
    }
  });
}

test('if any system call of a start fails but that of the snapshot, the start rejects, leaves no file open, and the next start succeeds', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'stored', anOrigin('v'));
  await postInNewSegment(a);
  const { calls } = (await machine.start()).disk;
  for (const [index, call] of [...calls].entries()) {
    const disk = new GatedDisk();
    disk.failCall(index + 1, 'EIO');
    if (call === 'open snapshot') {
      assert.match((await machine.start(disk)).reports.join(), /the snapshot cannot be used/);
      continue;
    }
    await assert.rejects(machine.start(disk), { code: 'EIO' }, call);
    assert.equal(disk.openFiles, 0, call);
    assert.deepEqual(await visibleTexts(await machine.start()), ['stored', 'in a new segment']);
  }
});

test('if any system call of a start with a snapshot fails, the start rejects or has read the log', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'stored', anOrigin('v'));
  await postInNewSegment(a);
  await writeSnapshot(machine);
  const { calls } = (await machine.start()).disk;
  const outcomes = new Map<string, unknown>();
  for (const [index, call] of [...calls].entries()) {
    const disk = new GatedDisk();
    disk.failCall(index + 1, 'EIO');
    const outcome = await machine.start(disk).then(visibleTexts, ({ code }: { code: unknown }) => code);
    outcomes.set(call, outcome);
    if (outcome === 'EIO') assert.equal(disk.openFiles, 0, call);
    else assert.deepEqual(outcome, ['stored', 'in a new segment'], call);
    await writeSnapshot(machine);
  }
  assert.notEqual(outcomes.get('read snapshot'), 'EIO');
  assert.equal(outcomes.get('list keys'), 'EIO');
});
