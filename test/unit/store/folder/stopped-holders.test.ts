import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureFlag, repairFolder } from '#store/folder/failed-sync.ts';
import { deferred } from '../../../support/store/deferred.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { Machine, post, visibleTexts, startOne, startTwo } from '../../../support/store/machine.ts';
import { systemError } from '../../../support/store/plans.ts';
import { imported } from '../../../support/store/overlaps.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { erase, importEntries } from '../../../support/store/writes.ts';

/** Marks the folder as a process does whose sync failed, and which has ended since. */
const mark = (machine: Machine, from: number): Promise<void> => {
  const { disk, folder, host } = machine.options();
  return new FailureFlag(disk, folder, host).write(from);
};

test('a process that is stopped at the mark while the folder is repaired writes nothing into the log of before', async (t) => {
  const machine = new Machine(t);
  await post(await machine.start(), 'first');
  await mark(machine, machine.log.length);
  for (const call of ['status', 'open'] as const) {
    const late = await machine.start();
    const stop = late.disk.stopBefore(call, /^failed/);
    const outcome = writeOutcome(post(late, 'late'));
    await stop.arrived;
    machine.presumeDead(late);
    await repairFolder(machine.options());
    stop.release();
    assert.equal(await outcome, 'nothing');
    assert.deepEqual(await visibleTexts(await machine.start()), ['first']);
    await mark(machine, machine.log.length);
  }
});

for (const when of ['before', 'after'] as const)
  test(`a post that is stopped ${when} any of its calls while the folder is repaired is in the new log or not acknowledged`, async (t) => {
    const outcomes = new Set<string>();
    for (let number = 1; ; number++) {
      const machine = new Machine(t);
      const late = await machine.start();
      await post(await machine.start(), 'first');
      // The first post of a day makes the key of the day.
      machine.clock.advance(24 * 3_600_000);
      const stop = late.disk.stopAtCall(number, when);
      const outcome = writeOutcome(post(late, 'late'));
      const isStopped = await Promise.race([stop.arrived.then(() => true), outcome.then(() => false)]);
      await mark(machine, machine.log.length);
      machine.presumeDead(late);
      await repairFolder(machine.options());
      stop.release();
      const isStored = (await visibleTexts(await machine.start())).includes('late');
      const expected = isStored ? ['stored', 'unknown'] : ['nothing', 'unknown'];
      assert.ok(expected.includes(await outcome), `${await outcome}, stopped at call ${number}`);
      outcomes.add(await outcome);
      await machine.stop();
      if (!isStopped) break;
    }
    assert.ok(outcomes.has('nothing') && outcomes.has('stored'));
  });

test('nothing slow is between the look at the log and the append, on the first write of a day too', async (t) => {
  const machine = new Machine(t);
  const process = await machine.start();
  await post(process, 'first');
  machine.clock.advance(24 * 3_600_000);
  const { calls } = process.disk;
  calls.length = 0;
  await post(process, 'second');
  const append = calls.indexOf('append log.jsonl');
  const look = calls.slice(append - 2, append);
  assert.deepEqual(look, ['status failed', 'status log.jsonl'], calls.join());
  // The key of the day is written before.
  assert.ok(calls.slice(0, append).filter((call) => call.startsWith('append')).length > 0, calls.join());
});

test('an erase that is stopped at any of its calls while the folder is repaired leaves no text behind if it is acknowledged', async (t) => {
  const outcomes = new Set<string>();
  for (let number = 1; ; number++) {
    const machine = new Machine(t);
    const late = await machine.start();
    const { record } = await post(late, 'some secret text');
    const stop = late.disk.stopAtCall(number);
    const outcome = writeOutcome(erase(late.store, record.id));
    const isStopped = await Promise.race([stop.arrived.then(() => true), outcome.then(() => false)]);
    await mark(machine, machine.log.length);
    machine.presumeDead(late);
    await repairFolder(machine.options());
    stop.release();
    outcomes.add(await outcome);
    const remains = Object.values(machine.files()).some((bytes) => bytes.includes('secret'));
    assert.ok(!remains || (await outcome) !== 'stored', `${await outcome}, stopped at call ${number}`);
    await machine.stop();
    if (!isStopped) break;
  }
  assert.deepEqual([...outcomes].sort(), ['nothing', 'stored', 'unknown']);
});

test('whatever read fails behind an append, a stored write is never said to be none', async (t) => {
  for (let number = 1; ; number++) {
    const [machine, a] = await startOne(t);
    await post(a, 'first');
    let reads = 0;
    a.disk.onReadNow = () => {
      if ((reads += 1) === number) throw systemError('EIO');
    };
    const outcome = await writeOutcome(post(a, 'second'));
    a.disk.onReadNow = () => undefined;
    const isStored = (await visibleTexts(await machine.start())).includes('second');
    assert.ok(outcome === 'unknown' || (outcome === 'stored') === isStored, `read ${number}: ${outcome}`);
    await machine.stop();
    if (reads < number) return assert.ok(number > 3, `only ${number} reads`);
  }
});

test('while the mark of a failed sync cannot be read, nothing behind it is shown', async (t) => {
  const machine = new Machine(t);
  const first = await machine.start();
  await post(first, 'first');
  const { length } = machine.log;
  await post(first, 'second');
  await first.store.close();
  await mark(machine, length);
  for (const code of ['EMFILE', 'EIO', 'EACCES']) {
    const disk = new GatedDisk();
    disk.failNext('open', code, /^failed/);
    await assert.rejects(machine.start(disk), { name: 'StoreFailure' });
  }
  assert.deepEqual(await visibleTexts(await machine.start()), ['first']);
});

test('a store that is closed while it looks at its health closes', async (t) => {
  const [, a] = await startOne(t);
  a.disk.failNext('append', 'ENOSPC', /^log/);
  await assert.rejects(post(a, 'x'), { stored: 'nothing' });
  const ended = Promise.all([a.store.health(), a.store.close()]).then(() => 'closed');
  // Pauses of the machine end by other pauses, so only the event loop is waited for.
  let isOpen = true;
  void ended.then(() => (isOpen = false));
  for (let turns = 0; isOpen && turns < 10_000; turns++) await new Promise(setImmediate);
  assert.equal(isOpen, false);
});

test('the text of an erased record that a late append brought back goes with the next opening', async (t) => {
  const [machine, a, b] = await startTwo(t);
  const entry = imported('some secret text', 1);
  const stop = a.disk.stopBefore('append', /^log/);
  void importEntries(a.store, [entry]).catch(() => undefined);
  await stop.arrived;
  machine.presumeDead(a);
  await importEntries(b.store, [entry]);
  assert.equal(await erase(b.store, entry.record.id), true);
  const unsynced = a.disk.stopBefore('sync', /^log/);
  stop.release();
  await unsynced.arrived;
  assert.ok(machine.log.includes('secret'));
  machine.kill(a);
  const disk = new GatedDisk();
  const blanked = disk.stopAfter('overwrite', /^log/);
  const synced = deferred();
  disk.beforeCall = (call) => {
    if (call === 'sync log.jsonl' && !machine.log.includes('secret')) synced.resolve();
  };
  await machine.start(disk);
  await blanked.arrived;
  blanked.release();
  await synced.promise;
  assert.ok(!machine.log.includes('secret'));
});

test('a fence that could not be written is written before the next write', async (t) => {
  for (const [call, file] of [
    ['append', /^log/],
    ['status', /^failed/],
    ['status', /^log/],
  ] as const) {
    const [machine, a, b] = await startTwo(t);
    const entry = imported('common', 1);
    const stop = a.disk.stopBefore('append', /^log/);
    const late = importEntries(a.store, [entry]);
    await stop.arrived;
    machine.presumeDead(a);
    b.disk.failNext(call, 'EIO', file);
    await assert.rejects(importEntries(b.store, [entry]), { stored: 'nothing' });
    const prompt = await importEntries(b.store, [entry]);
    stop.release();
    assert.deepEqual([...prompt, ...(await late)].sort(), ['known', 'stored'], `${call} ${file}`);
  }
});
