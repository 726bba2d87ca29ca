import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { UNKNOWN } from '#store/memory/rows/record-rows.ts';
import { GatedDisk } from '../../../../support/store/gated-disk.ts';
import {
  Machine,
  post,
  postInNewSegment,
  visibleTexts,
  type Process,
} from '../../../../support/store/machine.ts';
import { systemError } from '../../../../support/store/plans.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import {
  FEW_LINES,
  readRowsFile,
  RowsProcess,
  rowsNames,
  writeRows,
  writeRowsFile,
} from '../../../../support/store/rows.ts';
import { runEverySchedule } from '../../../../support/store/schedule.ts';
import { writeOutcome } from '../../../../support/store/write-outcome.ts';
import { erase } from '../../../../support/store/writes.ts';

const SECRET = 'WORK: a very private sentence';
/** The line of the secret. */
const LINE = 2;

interface Scene {
  readonly machine: Machine;
  readonly server: Process;
  readonly eraseIt: () => Promise<boolean>;
}

/** A secret in the first of two files of rows. */
async function withSecret(t: TestContext, inOlderSegment = false): Promise<Scene> {
  const machine = new Machine(t);
  const server = await machine.start();
  await post(server, 'text 1');
  const { record } = await post(server, SECRET);
  for (let n = 3; n <= 5; n++) await post(server, `text ${n}`.padEnd(5000));
  if (inOlderSegment) await postInNewSegment(server);
  for (let n = 6; n <= 9; n++) await post(server, `text ${n}`);
  return { machine, server, eraseIt: () => erase(server.store, record.id) };
}

/** @returns the files that describe the record of a line, those that a process is writing included */
function filesDescribing(machine: Machine, line = LINE): string[] {
  return rowsNames(machine).filter((name) => {
    const { from, count, rows } = readRowsFile(machine, name);
    return line >= from && line < from + count && rows.kinds[line - from] !== UNKNOWN;
  });
}

const startFromRows = (machine: Machine): Promise<Process> =>
  machine.start(new GatedDisk(machine.durable), undefined, { rows: FEW_LINES });

for (const inOlderSegment of [false, true]) {
  const where = inOlderSegment ? 'an older segment' : 'the current segment';

  test(`once a record of ${where} is erased no file of rows describes it, and new files do not either`, async (t) => {
    const { machine, eraseIt } = await withSecret(t, inOlderSegment);
    await writeRows(machine);
    assert.equal(filesDescribing(machine).length, 1);
    const names = rowsNames(machine);
    await eraseIt();
    assert.deepEqual(filesDescribing(machine), []);
    assert.equal(rowsNames(machine).length, names.length - 1);
    await writeRows(machine);
    assert.deepEqual([rowsNames(machine), filesDescribing(machine)], [names, []]);
    assert.equal((await visibleTexts(await startFromRows(machine))).includes(SECRET), false);
  });

  test(`a process killed before any system call of an erase in ${where} leaves no rows of the erased record to the next one`, async (t) => {
    const model = await withSecret(t, inOlderSegment);
    await writeRows(model.machine);
    const before = model.server.disk.calls.length;
    await model.eraseIt();
    const calls = model.server.disk.calls.slice(before);
    assert.ok(calls.includes('unlink 000001-0000000001.rows'));
    for (const [index, call] of calls.entries()) {
      const { machine, server, eraseIt } = await withSecret(t, inOlderSegment);
      await writeRows(machine);
      server.disk.killBefore(index + 1);
      const outcome = await writeOutcome(eraseIt());
      server.disk.kill();
      if (outcome === 'stored') assert.deepEqual(filesDescribing(machine), [], call);
      const next = await startFromRows(machine);
      const isErased = !(await visibleTexts(next)).includes(SECRET);
      if (outcome === 'stored') assert.ok(isErased, call);
      assert.equal(filesDescribing(machine).length, isErased ? 0 : 1, call);
      await machine.stop();
    }
  });
}

test('an erase fails if a file that describes the record cannot be removed, and a second one removes it', async (t) => {
  for (const call of ['list rows', 'unlink 000001-0000000001.rows', 'syncFolder rows']) {
    const { machine, server, eraseIt } = await withSecret(t);
    await writeRows(machine);
    server.disk.beforeCall = (each) => {
      if (each === call) throw systemError('EIO');
    };
    assert.equal(await writeOutcome(eraseIt()), 'unknown', call);
    server.disk.beforeCall = undefined;
    assert.equal(await eraseIt(), true, call);
    assert.deepEqual(filesDescribing(machine), [], call);
  }
});

test('a file that an erase of a program without rows has left is removed at the next start', async (t) => {
  const { machine, server, eraseIt } = await withSecret(t);
  await writeRows(machine);
  server.disk.beforeCall = (call) => {
    if (call === 'list rows') throw systemError('ENOENT');
  };
  await eraseIt();
  assert.equal(filesDescribing(machine).length, 1);
  const next = await startFromRows(machine);
  assert.deepEqual(filesDescribing(machine), []);
  assert.equal((await visibleTexts(next)).includes(SECRET), false);
});

test('an erase removes a file of rows that a process was writing when it was killed', async (t) => {
  const { machine, eraseIt } = await withSecret(t);
  const disk = new GatedDisk();
  disk.interpose('rename', () => {
    disk.kill();
  });
  const writer = await RowsProcess.start(machine, disk);
  assert.equal(await writer.writeOne(), false);
  await writer.close();
  const [temporary = ''] = rowsNames(machine);
  assert.match(temporary, /^\.tmp-/);
  assert.deepEqual(filesDescribing(machine), [temporary]);
  await eraseIt();
  assert.deepEqual(rowsNames(machine), []);
});

test('every interleaving of the system calls of a process that writes rows and one that erases leaves no rows of the erased record', async (t) => {
  const orders = await runEverySchedule(async (schedule) => {
    const { machine, server, eraseIt } = await withSecret(t);
    const disk = new GatedDisk();
    const writer = await RowsProcess.start(machine, disk);
    [server.disk.beforeCall, disk.beforeCall] = [schedule.gateFor(0), schedule.gateFor(1)];
    const running = [eraseIt(), writer.writeOne()];
    await schedule.run(running, 1);
    await Promise.all(running);
    server.disk.beforeCall = disk.beforeCall = undefined;
    assert.deepEqual(filesDescribing(machine), []);
    await writer.writeAll();
    assert.equal(rowsNames(machine).length, 2);
    assert.deepEqual(filesDescribing(machine), []);
    await writer.close();
    await machine.stop();
  });
  t.diagnostic(`${orders} orders`);
  assert.ok(orders > 10);
});

test('a file of rows that gets its name while an erase removes what is being written is removed too, though its writer is killed', async (t) => {
  const { machine, server, eraseIt } = await withSecret(t);
  const disk = new GatedDisk();
  const writer = await RowsProcess.start(machine, disk);
  const named = disk.stopBefore('rename');
  const writing = writer.writeOne();
  await named.arrived;
  const listed = server.disk.stopAfter('list', /^rows$/);
  const erasing = eraseIt();
  await listed.arrived;
  disk.interpose('syncFolder', () => {
    disk.kill();
  });
  named.release();
  assert.equal(await writing, false);
  await writer.close();
  assert.deepEqual(filesDescribing(machine), ['000001-0000000001.rows']);
  listed.release();
  assert.equal(await erasing, true);
  assert.deepEqual(filesDescribing(machine), []);
});

for (const isRecent of [true, false])
  for (const isFirstMissing of [true, false])
    test(`a start removes a file of rows that comes back after an erase, ${isFirstMissing ? 'behind a missing one, ' : ''}of a line ${isRecent ? 'with a write entry that counts' : 'without a write entry'}`, async (t) => {
      const machine = new Machine(t);
      const server = await startFromRows(machine);
      for (let n = 1; n <= 4; n++) await post(server, `text ${n}`);
      const { record } = await post(server, SECRET, isRecent ? anOrigin('v') : undefined);
      for (let n = 6; n <= 9; n++) await post(server, `text ${n}`);
      await writeRows(machine);
      const [first = '', second = ''] = rowsNames(machine);
      const file = readRowsFile(machine, second);
      await erase(server.store, record.id);
      writeRowsFile(machine, second, file);
      if (isFirstMissing) rmSync(machine.path(`rows/${first}`));
      assert.deepEqual(filesDescribing(machine, 5), [second]);
      await startFromRows(machine);
      assert.deepEqual(rowsNames(machine), isFirstMissing ? [] : [first]);
    });

test('a start removes files of rows that no start can use, and keeps those behind a missing one that fit', async (t) => {
  const { machine } = await withSecret(t);
  await writeRows(machine);
  const [first = '', second = ''] = rowsNames(machine);
  const file = readRowsFile(machine, second);
  rmSync(machine.path(`rows/${first}`));
  for (const bad of [
    { ...file, seed: file.seed + 1 },
    { ...file, log: 7 },
    { ...file, from: 1 },
  ]) {
    writeRowsFile(machine, second, bad);
    await startFromRows(machine);
    assert.deepEqual(rowsNames(machine), []);
  }
  writeFileSync(machine.path(`rows/${second}`), 'not a file of rows');
  await startFromRows(machine);
  assert.deepEqual(rowsNames(machine), []);
  writeRowsFile(machine, second, file);
  await startFromRows(machine);
  assert.deepEqual(rowsNames(machine), [second]);
});

test('what a killed process was writing goes at the second look of another one for missing files, and what goes too early is written again', async (t) => {
  const { machine } = await withSecret(t);
  const writer = await RowsProcess.start(machine);
  const disk = new GatedDisk();
  const other = await RowsProcess.start(machine, disk);
  const named = disk.stopBefore('rename');
  const writing = other.writeOne();
  await named.arrived;
  const [temporary = ''] = rowsNames(machine);
  assert.match(temporary, /^\.tmp-/);
  assert.equal(await writer.writeOne(), true);
  assert.ok(rowsNames(machine).includes(temporary));
  await writer.writeAll();
  assert.deepEqual(rowsNames(machine), ['000001-0000000001.rows', '000001-0000000005.rows']);
  named.release();
  assert.equal(await writing, false);
  rmSync(machine.path('rows'), { recursive: true });
  await other.writeAll();
  assert.equal(rowsNames(machine).length, 2);
  await Promise.all([writer.close(), other.close()]);
});
