import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { Machine, post } from '../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

const REFUSED: Record<string, (machine: Machine) => void> = {
  'an empty log': (machine) => {
    writeFileSync(machine.path(LOG), '');
  },
  'an empty log and no CURRENT': (machine) => {
    writeFileSync(machine.path(LOG), '');
    rmSync(machine.path('CURRENT'));
  },
  'a CURRENT without its log': (machine) => {
    rmSync(machine.path(LOG));
  },
  'a log without CURRENT': (machine) => {
    rmSync(machine.path('CURRENT'));
  },
  'a later log without CURRENT': (machine) => {
    writeFileSync(machine.path('log-000007-0123456789abcdef.jsonl'), 'x');
    rmSync(machine.path('CURRENT'));
    rmSync(machine.path(LOG));
  },
  'an empty CURRENT': (machine) => {
    writeFileSync(machine.path('CURRENT'), '');
  },
  'a CURRENT of garbage': (machine) => {
    writeFileSync(machine.path('CURRENT'), 'garbage\n');
  },
  'a CURRENT of zeros': (machine) => {
    writeFileSync(machine.path('CURRENT'), Buffer.alloc(17));
  },
  'a CURRENT that names a path outside the folder': (machine) => {
    writeFileSync(machine.path('CURRENT'), `../${LOG}\n`);
  },
  'a CURRENT that names two logs': (machine) => {
    writeFileSync(machine.path('CURRENT'), `${LOG}\n${LOG}\n`);
  },
  'a CURRENT that names another log': (machine) => {
    writeFileSync(machine.path('CURRENT'), 'log-000002-0123456789abcdef.jsonl\n');
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

test('other files in the folder are left unchanged', async (t) => {
  const machine = new Machine(t);
  for (const name of ['notes.txt', '.tmp-CURRENT-x', 'log-000001.jsonl.bak'])
    writeFileSync(machine.path(name), name);
  await post(await machine.start(), 'x');
  assert.deepEqual(Object.keys(machine.files()).toSorted(), [
    '.tmp-CURRENT-x',
    'CURRENT',
    LOG,
    'log-000001.jsonl.bak',
    'notes.txt',
  ]);
});
