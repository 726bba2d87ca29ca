import assert from 'node:assert/strict';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/fs/errors.ts';
import { encodeLine, FORMAT, headerLine } from '#store/jsonl/log/line.ts';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { Machine, post } from '../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

const REFUSED: Record<string, (machine: Machine) => void> = {
  'an empty log': (machine) => {
    writeFileSync(machine.path(LOG), '');
  },
  'a later segment without the first': (machine) => {
    renameSync(machine.path(LOG), machine.path('log-000002.jsonl'));
  },
  'a log with a name of format 1': (machine) => {
    renameSync(machine.path(LOG), machine.path('log-000007-0123456789abcdef.jsonl'));
  },
  'a segment that names lines which the one before does not hold': (machine) => {
    const header = { format: FORMAT, number: 2, from: 3, upto: 2, seed: 1 };
    writeFileSync(machine.path('log-000002.jsonl'), headerLine(header));
  },
  'a next segment that is empty': (machine) => {
    writeFileSync(machine.path('log-000002.jsonl'), '');
  },
  'a copy of the first segment as the second': (machine) => {
    copyFileSync(machine.path(LOG), machine.path('log-000002.jsonl'));
  },
  'a segment of a newer format': (machine) => {
    const header = { format: FORMAT + 1, number: 1, from: 1, upto: 0, seed: 1 };
    writeFileSync(machine.path(LOG), headerLine(header));
  },
  'a log of format 1': (machine) => {
    const header = encodeLine({ at: 0, seq: 0, base: 0 }, '"log":{"format":1}', 0);
    writeFileSync(machine.path(LOG), header);
  },
  'a CURRENT, which only format 1 has': (machine) => {
    writeFileSync(machine.path('CURRENT'), `${LOG}\n`);
  },
};

for (const [description, change] of Object.entries(REFUSED)) {
  test(`${description}: the start rejects, names the file, and changes nothing`, async (t) => {
    const machine = new Machine(t);
    const a = await machine.start();
    await post(a, 'x');
    await a.store.close();
    change(machine);
    const before = machine.files();
    const disk = new GatedDisk();
    const named = (error: unknown): boolean =>
      error instanceof CorruptionError && error.message.startsWith(machine.folder);
    await assert.rejects(machine.start(disk), named);
    assert.deepEqual(machine.files(), before);
    assert.equal(disk.openFiles, 0);
  });
}

test('a store of format 1 is refused with what to do', async (t) => {
  const machine = new Machine(t);
  writeFileSync(machine.path('CURRENT'), `${LOG}\n`);
  await assert.rejects(
    machine.start(),
    /CURRENT: an earlier version of this program wrote it; export the store with that version, and import/,
  );
});

test('a folder that must hold a store is refused if it holds none, and nothing is made', async (t) => {
  const machine = new Machine(t);
  const options = { folder: machine.folder, clock: machine.clock, report: () => undefined, mustExist: true };
  await assert.rejects(openJsonlStore(options), CorruptionError);
  assert.deepEqual(machine.files(), {});
});

test('other files in the folder are left unchanged', async (t) => {
  const machine = new Machine(t);
  const foreign = ['.tmp-CURRENT-x', 'log-000001.jsonl.bak', 'notes.txt'];
  for (const name of foreign) writeFileSync(machine.path(name), name);
  await post(await machine.start(), 'x');
  const { [LOG]: log, ...others } = machine.files();
  assert.match(log!, /"message":"x"/);
  assert.deepEqual(others, Object.fromEntries(foreign.map((name) => [name, name])));
});
