import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
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
  SnapshotProcess,
  snapshotNames,
  snapshotsDescribing,
  writeSnapshot,
} from '../../../../support/store/snapshot.ts';
import { runEverySchedule } from '../../../../support/store/schedule.ts';
import { writeOutcome } from '../../../../support/store/write-outcome.ts';
import { erase } from '../../../../support/store/writes.ts';

const LOG = 'log-000001.jsonl';
const SNAPSHOT = 'snapshot';
const SECRET = 'WORK: a very private sentence';
/** The line of the secret. */
const LINE = 2;

interface Scene {
  readonly machine: Machine;
  readonly server: Process;
  readonly eraseIt: () => Promise<boolean>;
}

/** A secret among the lines that a snapshot describes. */
async function withSecret(t: TestContext, inOlderSegment = false): Promise<Scene> {
  const machine = new Machine(t);
  const server = await machine.start();
  await post(server, 'text 1');
  const { record } = await post(server, SECRET);
  for (let n = 3; n <= 5; n++) await post(server, `text ${n}`.padEnd(5000));
  if (inOlderSegment) await postInNewSegment(server);
  for (let n = 6; n <= 7; n++) await post(server, `text ${n}`);
  return { machine, server, eraseIt: () => erase(server.store, record.id) };
}

const describing = (machine: Machine): string[] => snapshotsDescribing(machine.folder, LINE);

for (const inOlderSegment of [false, true]) {
  const where = inOlderSegment ? 'an older segment' : 'the current segment';

  test(`once a record of ${where} is erased there is no snapshot, and a new one does not describe the record`, async (t) => {
    const { machine, server, eraseIt } = await withSecret(t, inOlderSegment);
    await writeSnapshot(machine);
    assert.deepEqual(describing(machine), [SNAPSHOT]);
    const before = server.disk.calls.length;
    await eraseIt();
    const calls = server.disk.calls.slice(before);
    assert.deepEqual(snapshotNames(machine.folder), []);
    // Before the erase counts as finished.
    const marked = calls.findLastIndex((call) => call.startsWith('append log'));
    assert.ok(calls.lastIndexOf(`unlink ${SNAPSHOT}`) < marked);
    await writeSnapshot(machine);
    assert.deepEqual([snapshotNames(machine.folder), describing(machine)], [[SNAPSHOT], []]);
    assert.equal((await visibleTexts(await machine.start())).includes(SECRET), false);
  });

  test(`a process killed before any system call of an erase in ${where} leaves no snapshot of the erased record to the next one`, async (t) => {
    const model = await withSecret(t, inOlderSegment);
    await writeSnapshot(model.machine);
    const before = model.server.disk.calls.length;
    await model.eraseIt();
    const calls = model.server.disk.calls.slice(before);
    for (const [index, call] of calls.entries()) {
      const { machine, server, eraseIt } = await withSecret(t, inOlderSegment);
      await writeSnapshot(machine);
      server.disk.killBefore(index + 1);
      const outcome = await writeOutcome(eraseIt());
      server.disk.kill();
      if (outcome === 'stored') assert.deepEqual(describing(machine), [], call);
      const next = await machine.start();
      const isErased = !(await visibleTexts(next)).includes(SECRET);
      if (outcome === 'stored') assert.ok(isErased, call);
      if (isErased) assert.deepEqual(describing(machine), [], call);
      await machine.stop();
    }
  });
}

test('an erase fails if the snapshot cannot be removed, and a second one removes it', async (t) => {
  for (const failing of [`unlink ${SNAPSHOT}`, /^list /, /^syncFolder /]) {
    const { machine, server, eraseIt } = await withSecret(t);
    await writeSnapshot(machine);
    let hasBegun = false;
    server.disk.beforeCall = (call) => {
      hasBegun ||= call.startsWith('overwrite');
      if (hasBegun && (typeof failing === 'string' ? call === failing : failing.test(call)))
        throw systemError('EACCES');
    };
    assert.equal(await writeOutcome(eraseIt()), 'unknown', String(failing));
    server.disk.beforeCall = undefined;
    assert.equal(await eraseIt(), true);
    assert.deepEqual(snapshotNames(machine.folder), []);
  }
});

test('an erase removes what a process was writing when it was killed, and so does the next process that writes', async (t) => {
  for (const isErase of [true, false]) {
    const { machine, eraseIt } = await withSecret(t);
    const disk = new GatedDisk();
    disk.interpose('rename', () => {
      disk.kill();
    });
    const writer = await SnapshotProcess.start(machine, disk);
    await assert.rejects(writer.write());
    await writer.close();
    const [temporary = ''] = snapshotNames(machine.folder);
    assert.match(temporary, /^\.tmp-/);
    assert.deepEqual(describing(machine), [temporary]);
    if (isErase) await eraseIt();
    else await writeSnapshot(machine);
    assert.deepEqual(snapshotNames(machine.folder), isErase ? [] : [SNAPSHOT]);
    await machine.stop();
  }
});

test('every interleaving of the system calls of a process that writes a snapshot and one that erases leaves no snapshot of the erased record', async (t) => {
  let written = 0;
  const orders = await runEverySchedule(async (schedule) => {
    const { machine, server, eraseIt } = await withSecret(t);
    const disk = new GatedDisk();
    const writer = await SnapshotProcess.start(machine, disk);
    [server.disk.beforeCall, disk.beforeCall] = [schedule.gateFor(0), schedule.gateFor(1)];
    // ENOENT: the erase has removed the file.
    const running = [eraseIt(), writer.write().catch(() => false)];
    await schedule.run(running, 1);
    await Promise.all(running);
    server.disk.beforeCall = disk.beforeCall = undefined;
    assert.deepEqual(describing(machine), []);
    written += snapshotNames(machine.folder).length;
    await writer.close();
    await machine.stop();
  });
  t.diagnostic(`${orders} orders, ${written} snapshots`);
  assert.ok(orders > 10 && written > 0);
});

for (const isRecent of [true, false])
  test(`a start removes a snapshot that was put back after an erase of a line ${isRecent ? 'with a write entry that counts' : 'without a write entry'}`, async (t) => {
    const machine = new Machine(t);
    const server = await machine.start();
    await post(server, 'text 1');
    const { record } = await post(server, SECRET, isRecent ? anOrigin('v') : undefined);
    for (let n = 3; n <= 9; n++) await post(server, `text ${n}`);
    await writeSnapshot(machine);
    const snapshot = readFileSync(machine.path(SNAPSHOT));
    await erase(server.store, record.id);
    writeFileSync(machine.path(SNAPSHOT), snapshot);
    assert.deepEqual(describing(machine), [SNAPSHOT]);
    const next = await machine.start();
    assert.deepEqual(snapshotNames(machine.folder), []);
    assert.equal((await visibleTexts(next)).length, 8);
  });

/** @returns a machine whose log holds a secret twice, since the first line was displaced, and the id of its record */
async function withDisplacedSecret(t: TestContext): Promise<{ machine: Machine; a: Process; id: string }> {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, 'text 1');
  const append = b.disk.stopBefore('append');
  const posting = post(b, SECRET);
  await append.arrived;
  await post(a, 'text 2');
  append.release();
  const { record } = await posting;
  // So that the next segment has no copies of the first lines.
  for (let n = 3; n <= 9; n++) await post(a, `text ${n}`.padEnd(5000));
  await b.store.close();
  assert.equal(occurrences(machine), 2);
  return { machine, a, id: record.id };
}

const occurrences = (machine: Machine): number =>
  Object.values(machine.files()).join('').split('a very private sentence').length - 1;

test('an erase after a start from a snapshot removes the text from displaced lines that no scan has seen', async (t) => {
  for (const erased of ['it', 'another']) {
    const { machine, a, id } = await withDisplacedSecret(t);
    const other = await post(a, 'another');
    await post(a, 'the last one');
    await a.store.close();
    await writeSnapshot(machine);
    const process = await machine.start();
    await erase(process.store, erased === 'it' ? id : other.record.id);
    assert.equal(occurrences(machine), erased === 'it' ? 0 : 1);
    assert.equal((await visibleTexts(process)).length, 11);
    await machine.stop();
  }
});

test('an erase leaves no text in an older log that was put back beside a newer snapshot', async (t) => {
  const { machine, a, id } = await withDisplacedSecret(t);
  const older = readFileSync(machine.path(LOG));
  await erase(a.store, id);
  await post(a, 'text 10');
  await a.store.close();
  await writeSnapshot(machine);
  writeFileSync(machine.path(LOG), older);
  assert.equal(occurrences(machine), 2);
  const process = await machine.start();
  assert.equal((await visibleTexts(process)).length, 10);
  await erase(process.store, id);
  assert.equal(occurrences(machine), 0);
});

test('a start from a snapshot finishes no erase a second time, and changes nothing', async (t) => {
  const { machine, a, id } = await withDisplacedSecret(t);
  await erase(a.store, id);
  for (let n = 10; n <= 12; n++) await post(a, `text ${n}`);
  await a.store.close();
  await writeSnapshot(machine);
  const files = machine.files();
  const { store, disk } = await machine.start();
  assert.equal((await store.read.totals()).posts, 12);
  await store.close();
  assert.deepEqual(
    disk.calls.filter((call) => /^(append|overwrite|unlink)/.test(call)),
    [],
  );
  assert.deepEqual(machine.files(), files);
});

test('an erase that was interrupted is finished after a start from a snapshot that describes later lines', async (t) => {
  const { machine, a, id } = await withDisplacedSecret(t);
  const whole = readFileSync(machine.path(LOG));
  await erase(a.store, id);
  for (let n = 10; n <= 12; n++) await post(a, `text ${n}`);
  await a.store.close();
  // As if the process had been killed before it overwrote anything, and others had gone on.
  const log = readFileSync(machine.path(LOG));
  whole.copy(log);
  const mark = log.indexOf('"wiped"');
  log.fill(' ', log.lastIndexOf('\n', mark) + 1, log.indexOf('\n', mark));
  writeFileSync(machine.path(LOG), log);
  const { store } = await machine.start(undefined, undefined, { writesSnapshot: true, readsEveryLine: true });
  assert.equal(occurrences(machine), 0);
  await store.close();
  writeFileSync(machine.path(LOG), log);
  assert.equal(occurrences(machine), 2);
  await machine.start();
  assert.equal(occurrences(machine), 0);
});
