import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { GatedDisk } from '../../../../support/store/gated-disk.ts';
import { Machine, post, visibleTexts } from '../../../../support/store/machine.ts';
import { systemError } from '../../../../support/store/plans.ts';
import {
  FEW_LINES,
  readRowsFile,
  RowsProcess,
  rowsNames,
  writeRows,
  writeRowsFile,
} from '../../../../support/store/rows.ts';
import { erase } from '../../../../support/store/writes.ts';

const LOG = 'log-000001.jsonl';
const TEXTS = Array.from({ length: 9 }, (_, n) => `text ${n + 1}`);

/** A folder with nine posts, and rows of eight. @returns the ids */
async function withNinePosts(machine: Machine): Promise<string[]> {
  const a = await machine.start();
  const ids: string[] = [];
  for (const text of TEXTS) ids.push((await post(a, text)).record.id);
  await a.store.close();
  await writeRows(machine);
  return ids;
}

/** Checks that a process starts and reads all posts. @returns what it logs */
async function start(machine: Machine, why: string, disk = new GatedDisk()): Promise<string[]> {
  const process = await machine.start(disk, undefined, { rows: FEW_LINES });
  assert.deepEqual(await visibleTexts(process), TEXTS, why);
  assert.equal((await process.store.read.totals()).posts, TEXTS.length, why);
  await process.store.close();
  return process.reports;
}

test('a start reads the log if a file of rows is cut off, empty, damaged or older', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  for (const name of rowsNames(machine)) {
    const path = machine.path(`rows/${name}`);
    const bytes = readFileSync(path);
    const bad = new Map<string, Buffer | string>();
    for (let end = 0; end < bytes.length; end += 64) bad.set(`cut off at ${end}`, bytes.subarray(0, end));
    for (let at = 7; at < bytes.length; at += 101)
      bad.set(`changed at ${at}`, Buffer.from(bytes).fill(bytes[at]! ^ 4, at, at + 1));
    bad.set('older', bytes.toString('latin1').replace('rows 1', 'rows 0'));
    bad.set('a text', 'a text of another program\n');
    for (const [why, content] of bad) {
      writeFileSync(path, content);
      assert.deepEqual(await start(machine, `${name} ${why}`), []);
    }
    writeFileSync(path, bytes);
  }
});

test('a start reads the log if the rows are those of another store, or another file has the name', async (t) => {
  const [machine, other] = [new Machine(t), new Machine(t)];
  await withNinePosts(machine);
  await withNinePosts(other);
  const [first = '', second = ''] = rowsNames(machine);
  const own = readRowsFile(machine, first);
  for (const [name, file] of [
    [first, readRowsFile(other, first)],
    [first, readRowsFile(machine, second)],
    [second, own],
    ['000001-0000000099.rows', own],
    ['000009-0000000001.rows', own],
  ] as const) {
    const kept = rowsNames(machine).map((each) => [each, readRowsFile(machine, each)] as const);
    writeRowsFile(machine, name, file);
    assert.deepEqual(await start(machine, name), []);
    rmSync(machine.path('rows'), { recursive: true });
    for (const [each, content] of kept) writeRowsFile(machine, each, content);
  }
  cpSync(other.path('rows'), machine.path('rows'), { recursive: true });
  assert.deepEqual(await start(machine, 'all of another store'), []);
});

test('a start reads the log if that is shorter than the rows say, and never shows what the log lacks', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  const log = readFileSync(machine.path(LOG));
  const second = rowsNames(machine)[1]!;
  const rows = readRowsFile(machine, second);
  const { offsets, lengths } = rows;
  for (const [lines, end] of [
    [8, offsets[3]! + lengths[3]! + 1],
    [7, offsets[2]! + lengths[2]! + 1],
    [7, offsets[3]! + 20],
    [4, offsets[0]!],
  ] as const) {
    writeFileSync(machine.path(LOG), log.subarray(0, end));
    writeRowsFile(machine, second, rows);
    const process = await machine.start(undefined, undefined, { rows: FEW_LINES });
    assert.deepEqual(await visibleTexts(process), TEXTS.slice(0, lines));
    await process.store.close();
    // Each later start would look there for the time of the newest line, and would not find it.
    assert.equal(rowsNames(machine).includes(second), lines === 8);
  }
});

test('a start from rows refuses a log from which lines behind those of the rows are missing', async (t) => {
  const machine = new Machine(t);
  await withNinePosts(machine);
  const log = readFileSync(machine.path(LOG), 'latin1');
  writeFileSync(machine.path(LOG), log.replace('text 9', 'text X'), 'latin1');
  await assert.rejects(machine.start(undefined, undefined, { rows: FEW_LINES }), {
    name: 'CorruptionError',
  });
});

for (const code of ['EIO', 'EACCES', 'EISDIR'])
  for (const call of ['list rows', 'open 000001-0000000001.rows', 'read 000001-0000000005.rows'])
    test(`a start reads the log if the call "${call}" fails with ${code}, and logs it once`, async (t) => {
      const machine = new Machine(t);
      await withNinePosts(machine);
      const disk = new GatedDisk();
      const failIf = (isCall: boolean): void => {
        if (isCall) throw systemError(code);
      };
      disk.beforeCall = (each) => {
        failIf(each === call);
      };
      disk.onReadNow = (file) => {
        failIf(`read ${file}` === call);
      };
      const reports = await start(machine, call, disk);
      assert.equal(reports.length, 1);
      assert.match(reports[0]!, new RegExp(`^the folder rows cannot be used, starts take longer: .*${code}`));
    });

test('if rows is a file, a start reads the log, logs it once, and an erase succeeds', async (t) => {
  const machine = new Machine(t);
  const [id] = await withNinePosts(machine);
  rmSync(machine.path('rows'), { recursive: true });
  writeFileSync(machine.path('rows'), 'a file');
  const reports = await start(machine, 'a file');
  assert.equal(reports.length, 1);
  assert.match(reports[0]!, /^the folder rows cannot be used, starts take longer: .*ENOTDIR/);
  const process = await machine.start(undefined, undefined, { rows: FEW_LINES });
  assert.equal(await erase(process.store, id!), true);
  assert.doesNotMatch(machine.files()[LOG]!, /text 1"/);
});

test('on a disk that takes no rows, a process logs it once and goes on', async (t) => {
  for (const call of ['makeFolder rows', 'open .tmp-', 'append .tmp-', 'sync .tmp-', 'rename 000001-']) {
    const machine = new Machine(t);
    await withNinePosts(machine);
    rmSync(machine.path('rows'), { recursive: true });
    const disk = new GatedDisk();
    disk.beforeCall = (each) => {
      if (each.startsWith(call)) throw systemError('EROFS');
    };
    const reports: string[] = [];
    const report = (message: string): number => reports.push(message);
    const process = await RowsProcess.start(machine, disk, { report });
    for (let tries = 0; tries < 3; tries++) assert.equal(await process.writeOne(), false, call);
    assert.equal(reports.length, 1, call);
    assert.match(reports[0]!, /^the folder rows cannot be used, starts take longer: .*EROFS/);
    assert.deepEqual(rowsNames(machine), [], call);
    await process.close();
  }
});

test('other files and folders in the folder rows are left alone', async (t) => {
  const machine = new Machine(t);
  const [id] = await withNinePosts(machine);
  for (const name of ['README', '000001-0000000001.rows.bak', '1-1.rows', 'x000001-0000000001.rows'])
    writeFileSync(machine.path(`rows/${name}`), 'x');
  mkdirSync(machine.path('rows/more'));
  const names = rowsNames(machine);
  assert.deepEqual(await start(machine, 'more files'), []);
  assert.deepEqual(rowsNames(machine), names);
  const process = await machine.start(undefined, undefined, { rows: FEW_LINES });
  await erase(process.store, id!);
  assert.deepEqual(
    rowsNames(machine),
    names.filter((name) => name !== '000001-0000000001.rows'),
  );
});
