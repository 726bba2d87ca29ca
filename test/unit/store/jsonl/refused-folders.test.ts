import assert from 'node:assert/strict';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import { FORMAT, headerLine } from '#store/jsonl/log/line.ts';
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
  'a log of format 1 without CURRENT that is not the first': (machine) => {
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
  'a CURRENT that names a log which is missing': (machine) => {
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
