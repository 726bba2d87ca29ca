import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { repairFolder } from '#store/folder/failed-sync.ts';
import { salvageFolder } from '#store/folder/salvage.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import {
  Machine,
  post,
  visibleTexts,
  startOne,
  startTwo,
  type Process,
} from '../../../support/store/machine.ts';
import { systemError } from '../../../support/store/plans.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { erase, freeze } from '../../../support/store/writes.ts';

const SENTENCE = /run `porchlight repair`, then restart every process that has the folder open/;
const REFUSED = /this process is not permitted to sync files \(for example under Node's permission model,/;
const RESTART = /restart this process/;

/** A post whose sync fails, as the folder then says. */
async function failSync(process: Process, text: string): Promise<void> {
  process.disk.failNext('sync', 'EIO', /^log/);
  await assert.rejects(post(process, text), { stored: 'unknown', message: SENTENCE });
}

test('after a failed sync every process reads and refuses writes, until the folder is repaired and they are restarted', async (t) => {
  const [machine, a, b] = await startTwo(t);
  await post(a, 'first');
  await failSync(a, 'second');
  assert.ok(existsSync(machine.path('failed')));
  const c = await machine.start();
  for (const process of [a, b, c]) {
    assert.deepEqual(await visibleTexts(process), ['first']);
    await assert.rejects(post(process, 'third'), { stored: 'nothing', message: SENTENCE });
    assert.match((await process.store.health()).reason ?? '', SENTENCE);
  }
  assert.equal(await repairFolder(machine.options()), true);
  assert.equal(existsSync(machine.path('failed')), false);
  assert.equal(await repairFolder(machine.options()), false);
  for (const process of [a, b, c])
    await assert.rejects(post(process, 'third'), { stored: 'nothing', message: RESTART });
  const d = await machine.start();
  await post(d, 'fourth');
  assert.deepEqual(await visibleTexts(d), ['first', 'second', 'fourth']);
  await d.store.close();
  assert.equal(existsSync(machine.path('lock')) || existsSync(machine.path('failed')), false);
});

test('a reader whose own sync fails marks the folder, and shows nothing of it', async (t) => {
  const [machine, a, b] = await startTwo(t);
  await post(a, 'first');
  const stop = a.disk.stopBefore('sync', /^log/);
  const second = post(a, 'second');
  await stop.arrived;
  b.disk.failNext('sync', 'EIO', /^log/);
  assert.deepEqual(await visibleTexts(b), []);
  assert.ok(existsSync(machine.path('failed')));
  assert.deepEqual(await visibleTexts(await machine.start()), []);
  stop.release();
  await second;
  await assert.rejects(post(a, 'third'), { stored: 'nothing', message: SENTENCE });
});

test('a process that cannot mark the folder shows nothing more, takes no write, and marks it as soon as it can', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.failNext('rename', 'ENOSPC', /^failed/);
  await assert.rejects(post(a, 'second'), { stored: 'unknown', message: SENTENCE });
  assert.ok(!existsSync(machine.path('failed')));
  // A later sync succeeds.
  assert.deepEqual(await visibleTexts(a), ['first']);
  a.disk.failNext('rename', 'ENOSPC', /^failed/);
  await assert.rejects(post(a, 'third'), { stored: 'nothing', message: SENTENCE });
  assert.ok(!existsSync(machine.path('failed')));
  await assert.rejects(post(a, 'fourth'), { stored: 'nothing', message: SENTENCE });
  assert.ok(existsSync(machine.path('failed')));
  assert.deepEqual(await visibleTexts(a), ['first']);
  await a.store.close();
  assert.deepEqual(
    readdirSync(machine.folder).filter((name) => name.startsWith('.tmp') || name.startsWith('lock')),
    [],
  );
});

for (const [what, lose] of [
  ['shorter', (machine: Machine, length: number) => (machine.log = machine.log.subarray(0, length))],
  ['written over', (machine: Machine, length: number) => (machine.log = machine.log.fill(0, length))],
] as const)
  test(`a holder does not show the unsynced line of another process that the file has lost: ${what}`, async (t) => {
    const [machine, a, b] = await startTwo(t);
    await post(a, 'first');
    const { length } = machine.log;
    a.disk.failNext('sync', 'EIO', /^log/);
    a.disk.failNext('rename', 'ENOSPC', /^failed/);
    await assert.rejects(post(a, 'second'), { stored: 'unknown', message: SENTENCE });
    // It has read the line, and would sync it together with its own.
    const stop = b.disk.stopBefore('append', /^log/);
    const third = writeOutcome(post(b, 'third'));
    await stop.arrived;
    lose(machine, length);
    stop.release();
    assert.notEqual(await third, 'stored');
    for (let reads = 0; reads < 2; reads++)
      await assert.rejects(visibleTexts(b), { name: 'StoreFailure', message: SENTENCE });
    assert.ok(!(await visibleTexts(await machine.start())).includes('second'));
  });

test('a disk on which no sync succeeds is marked all the same, so a process that starts later refuses writes', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  a.disk.beforeCall = (call) => {
    if (call.startsWith('sync')) throw systemError('EIO');
  };
  await assert.rejects(post(a, 'second'), { stored: 'unknown', message: SENTENCE });
  machine.kill(a);
  const b = await machine.start();
  await assert.rejects(post(b, 'third'), { stored: 'nothing', message: SENTENCE });
  assert.deepEqual(await visibleTexts(b), ['first']);
  assert.equal(await repairFolder(machine.options()), true);
});

for (const code of ['EPERM', 'EACCES', 'ENOSYS', 'ERR_ACCESS_DENIED'])
  test(`a sync that is refused with ${code} is a fault of that process: no mark, and the others write on`, async (t) => {
    const [machine, a, b] = await startTwo(t);
    await post(a, 'first');
    a.disk.failNext('sync', code, /^log/);
    await assert.rejects(post(a, 'second'), { stored: 'unknown', message: REFUSED });
    const size = machine.log.length;
    a.disk.failNext('sync', code, /^log/);
    await assert.rejects(post(a, 'third'), { stored: 'nothing', message: REFUSED });
    assert.equal(machine.log.length, size);
    assert.match(a.reports.join(), REFUSED);
    await post(b, 'fourth');
    assert.deepEqual(await visibleTexts(b), ['first', 'second', 'fourth']);
    // Once the setting is right, the process goes on.
    await post(a, 'fifth');
    assert.deepEqual(await visibleTexts(a), ['first', 'second', 'fourth', 'fifth']);
    const disk = new GatedDisk();
    disk.failNext('sync', code, /^log/);
    await assert.rejects(machine.start(disk), { name: 'StoreFailure', message: REFUSED });
    await post(b, 'sixth');
    assert.ok(!existsSync(machine.path('failed')));
  });

test('lines behind an erased one are not dropped if a failed sync without a mark lost the line that erases it', async (t) => {
  const [machine, a] = await startOne(t);
  const [{ record }] = await Promise.all([post(a, 'some secret text'), post(a, 'acknowledged')]);
  const { length } = machine.log;
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.failNext('rename', 'ENOSPC', /^failed/);
  await assert.rejects(erase(a.store, record.id), { stored: 'unknown', message: SENTENCE });
  machine.kill(a);
  // Nothing tells this process that the erase which it finishes is in memory alone.
  const b = await machine.start();
  assert.deepEqual(await visibleTexts(b), ['acknowledged']);
  await b.store.close();
  assert.ok(!machine.log.includes('secret'));
  // A power cut.
  machine.kill(b);
  machine.boot = 'boot-2';
  const left = machine.log.subarray(0, length);
  machine.log = left;
  const at = left.indexOf('{"at"');
  await assert.rejects(machine.start(), {
    name: 'CorruptionError',
    message: new RegExp(
      `at byte ${at}: line 1 was stored, and is damaged or missing; run porchlight salvage$`,
    ),
  });
  assert.deepEqual(machine.log, left);
  const { history, losses } = await salvageFolder(nodeDisk, machine.folder);
  const texts = [];
  for await (const entry of history()) if ('record' in entry) texts.push(entry.record);
  assert.match(JSON.stringify(texts), /^\[\{[^{]*"acknowledged"[^{]*\}\]$/);
  assert.equal(losses.length, 1);
});

test('a mark stays where its boot or that of the process that finds it is unknown', async (t) => {
  for (const [placing, finding] of [
    ['boot-1', ''],
    ['', 'boot-1'],
    ['', ''],
  ] as const) {
    const machine = new Machine(t);
    machine.boot = placing;
    const a = await machine.start();
    await post(a, 'first');
    await failSync(a, 'second');
    await a.store.close();
    machine.boot = finding;
    const name = `placed with "${placing}", found with "${finding}"`;
    const b = await machine.start();
    await assert.rejects(freeze(b.store), { stored: 'nothing', message: SENTENCE }, name);
    assert.ok(existsSync(machine.path('failed')), name);
    await b.store.close();
    assert.equal(await repairFolder(machine.options()), true, name);
  }
});

test('a process that had read up to a mark leaves what others acknowledged, if somebody removes the mark by hand', async (t) => {
  const [machine, a, b] = await startTwo(t);
  const stop = a.disk.stopBefore('sync', /^log/);
  const acknowledged = [post(a, 'first'), post(a, 'second')];
  await stop.arrived;
  b.disk.failNext('sync', 'EIO', /^log/);
  assert.deepEqual(await visibleTexts(b), []);
  stop.release();
  await Promise.all(acknowledged);
  assert.deepEqual(await visibleTexts(b), []);
  rmSync(machine.path('failed'));
  const outcomes = [await writeOutcome(post(b, 'third')), await writeOutcome(post(b, 'fourth'))];
  const texts = await visibleTexts(await machine.start());
  assert.deepEqual(texts.slice(0, 2), ['first', 'second']);
  for (const [index, text] of ['third', 'fourth'].entries())
    assert.equal(texts.includes(text), outcomes[index] === 'stored', text);
});

test('after another start of the machine the mark means nothing, and the next write removes it', async (t) => {
  const [machine, a] = await startOne(t);
  await failSync(a, 'first');
  await a.store.close();
  machine.boot = 'boot-2';
  const b = await machine.start();
  await post(b, 'second');
  assert.equal(existsSync(machine.path('failed')), false);
  assert.deepEqual(await visibleTexts(b), ['first', 'second']);
});

function placeElsewhere(machine: Machine): string {
  writeFileSync(machine.path('elsewhere'), '{"boot":"boot-1","from":0}');
  return machine.path('elsewhere');
}

test('a mark that cannot be read refuses writes until the folder is repaired, and reads go on', async (t) => {
  const path = (machine: Machine): string => machine.path('failed');
  for (const [place, remove] of [
    [(machine: Machine) => writeFileSync(path(machine), ''), undefined],
    [(machine: Machine) => writeFileSync(path(machine), '{"boot":1}'), undefined],
    [(machine: Machine) => symlinkSync(machine.folder, path(machine)), undefined],
    // A mark that hides all lines, were the link followed.
    [(machine: Machine) => symlinkSync(placeElsewhere(machine), path(machine)), undefined],
    [(machine: Machine) => mkdirSync(path(machine)), rmdirSync],
  ] as const) {
    const [machine, a] = await startOne(t);
    await post(a, 'first');
    place(machine);
    await assert.rejects(post(a, 'second'), { stored: 'nothing', message: SENTENCE });
    assert.deepEqual(await visibleTexts(a), ['first']);
    const b = await machine.start();
    assert.deepEqual(await visibleTexts(b), ['first']);
    await assert.rejects(post(b, 'second'), { stored: 'nothing', message: SENTENCE });
    if (remove === undefined) assert.equal(await repairFolder(machine.options()), true);
    else remove(path(machine));
    await post(await machine.start(), 'second');
    assert.deepEqual(await visibleTexts(await machine.start()), ['first', 'second']);
  }
});

test('a repair that dies at any of its calls loses nothing, and the next one ends it', async (t) => {
  for (let number = 1; ; number++) {
    const [machine, a] = await startOne(t);
    await post(a, 'first');
    await failSync(a, 'second');
    await a.store.close();
    const disk = new GatedDisk();
    const options = machine.options(disk);
    disk.killBefore(number);
    const isDone = await repairFolder(options).catch(() => false);
    machine.presumeDead(options.host);
    await repairFolder(machine.options());
    const b = await machine.start();
    await post(b, 'third');
    assert.deepEqual(await visibleTexts(b), ['first', 'second', 'third'], `before call ${number}`);
    await machine.stop();
    if (isDone) return;
  }
});

test('a repair by a user who may not write the log is refused with a sentence', async (t) => {
  const [machine, a] = await startOne(t);
  await failSync(a, 'first');
  await a.store.close();
  const disk = new GatedDisk();
  disk.failNext('open', 'EACCES', /^log/);
  await assert.rejects(repairFolder(machine.options(disk)), { message: /only a user who can write the log/ });
  assert.ok(existsSync(machine.path('failed')));
  assert.equal(await repairFolder(machine.options()), true);
});
