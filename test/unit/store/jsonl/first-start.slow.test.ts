import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { anOrigin } from '../../../support/store/records.ts';
import {
  Machine,
  post,
  postInNewSegment,
  visibleTexts,
  type Process,
} from '../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

test('if the first start is killed before any system call, the next start creates the store', async (t) => {
  const calls = (await new Machine(t).start()).disk.calls.length;
  for (let number = 1; number <= calls; number++) {
    const machine = new Machine(t);
    const disk = new GatedDisk();
    disk.killBefore(number);
    await assert.rejects(machine.start(disk), { code: 'EKILLED' });
    assert.equal(disk.openFiles, 0);
    const a = await machine.start();
    await post(a, 'x');
    assert.deepEqual(await visibleTexts(await machine.start()), ['x'], disk.calls.at(-1));
    await machine.stop();
  }
});

/** Starts a process that pauses before its system call with this number. */
function startUpTo(
  machine: Machine,
  number: number,
): { started: Promise<Process>; reached: Promise<void>; resume: () => void } {
  const disk = new GatedDisk();
  let resume = (): void => undefined;
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  disk.beforeCall = async () => {
    if (disk.calls.length !== number) return;
    arrive();
    await resumed;
  };
  const started = machine.start(disk);
  return { started, reached: Promise.race([arrived, started.then(() => undefined)]), resume };
}

test('two processes that start at the same time share one store, wherever either pauses', async (t) => {
  const calls = (await new Machine(t).start()).disk.calls.length;
  for (let first = 1; first <= calls; first++)
    for (let second = 1; second <= calls; second += 3) {
      const machine = new Machine(t);
      const a = startUpTo(machine, first);
      await a.reached;
      const b = startUpTo(machine, second);
      await b.reached;
      a.resume();
      await post(await a.started, 'by a');
      b.resume();
      await post(await b.started, 'by b');
      for (const start of [a, b])
        assert.deepEqual(await visibleTexts(await start.started), ['by a', 'by b'], `${first} ${second}`);
      await machine.stop();
    }
});

test('eight processes that start at the same time share one store', async (t) => {
  for (let round = 0; round < 25; round++) {
    const machine = new Machine(t);
    const starts = Array.from({ length: 8 }, (_, index) =>
      startUpTo(machine, ((index * 7 + round * 3) % 25) + 1),
    );
    await Promise.all(starts.map(({ reached }) => reached));
    for (const start of starts.toSorted(() => (round % 2) - 0.5)) start.resume();
    const processes = await Promise.all(starts.map(({ started }) => started));
    await Promise.all(processes.map((process, index) => post(process, String(index))));
    for (const process of processes)
      assert.deepEqual((await visibleTexts(process)).toSorted(), ['0', '1', '2', '3', '4', '5', '6', '7']);
    assert.deepEqual(readdirSync(machine.folder).toSorted(), ['keys', LOG]);
    await machine.stop();
  }
});

test('all files are readable by their owner only, whatever the umask', async (t) => {
  const machine = new Machine(t);
  const before = process.umask(0);
  try {
    const a = await machine.start();
    await post(a, 'x', anOrigin('v'));
    await postInNewSegment(a);
  } finally {
    process.umask(before);
  }
  const files = readdirSync(machine.folder, { recursive: true, withFileTypes: true });
  const modes = files.map(
    (entry) => `${entry.name} ${(statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8)}`,
  );
  assert.equal(modes.length, 4);
  for (const mode of modes) assert.match(mode, mode.startsWith('keys') ? / 700$/ : / 600$/);
});

test('the folder is created with its missing parents, mode 0700', async (t) => {
  const machine = new Machine(t);
  Object.assign(machine, { folder: machine.path('a/b/c') });
  await post(await machine.start(), 'x');
  assert.equal(statSync(machine.folder).mode & 0o777, 0o700);
});

test('a new file is synced before it is named, and its folder before the next step', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'x', anOrigin('v'));
  await postInNewSegment(a);
  const { calls } = a.disk;
  const temporaries: Record<string, string> = {
    [`link ${LOG}`]: `.tmp-${LOG}-`,
    'link 2026-11-21': '.tmp-2026-11-21-',
    'link log-000002.jsonl': '.tmp-000002-',
  };
  const links = [...calls.entries()].filter(([, call]) => call.startsWith('link'));
  assert.deepEqual(
    links.map(([, call]) => call),
    Object.keys(temporaries),
  );
  for (const [index, call] of links) {
    const before = calls.slice(0, index).findLast((earlier) => /^(append|sync) \.tmp-/.test(earlier));
    assert.ok(before?.startsWith(`sync ${temporaries[call]}`), call);
    const after = calls.slice(index + 1).find((next) => !next.startsWith('unlink .tmp'));
    assert.match(after!, /^syncFolder/, call);
  }
});
