import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runProgram, runSuccessfully } from '../../support/product.ts';
import { addPost, erase, freeze, hide } from '../../support/store/writes.ts';

interface Damageable {
  /** Of the store. */
  readonly folder: string;
  readonly log: string;
  /** Where the export goes. */
  readonly file: string;
}

/** A store with four posts, of which one is hidden and one erased. Writing is frozen. */
async function makeStore(test: TestContext): Promise<Damageable> {
  const top = await temporaryFolder(test);
  const folder = join(top, 'data');
  const store = await openFolderStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });
  const ids: string[] = [];
  for (const text of ['first', 'second', 'a private text', 'fourth'])
    ids.push((await addPost(store, text)).record.id);
  await hide(store, ids[0]!);
  await erase(store, ids[2]!);
  await freeze(store);
  await store.close();
  return { folder, log: join(folder, 'log.jsonl'), file: join(top, 'export.jsonl') };
}

/** @returns names and bytes of all files */
const filesOf = (folder: string): unknown[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'latin1')]);

it('salvage of an undamaged folder writes what export writes, and exits with 0', async (test) => {
  const { folder, file } = await makeStore(test);
  const exported = await runSuccessfully(['export', '-'], { DATA_DIR: folder });
  const before = filesOf(folder);
  const { status, stdout, stderr } = await runProgram(['salvage', folder, '--to', file]);
  assert.deepEqual([status, stdout], [0, ''], stderr);
  assert.match(stderr, /^Exported 5 records and moderations\.\nThe store was frozen\./);
  assert.equal(readFileSync(file, 'utf8'), exported);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(filesOf(folder), before);
});

it('salvage of a damaged folder lists what is lost, exits with 3, and import reads what it wrote', async (test) => {
  const { folder, log, file } = await makeStore(test);
  const bytes = readFileSync(log, 'latin1');
  writeFileSync(log, bytes.replace('"second"', '"Second"'), 'latin1');
  assert.equal((await runProgram(['check'], { DATA_DIR: folder })).status, 1);
  const before = filesOf(folder);
  const { status, stdout, stderr } = await runProgram(['salvage', folder, '--to', file]);
  assert.equal(status, 3);
  assert.match(stdout, /^log\.jsonl, bytes \d+ to \d+: 1 line is damaged or missing\n$/);
  assert.match(stderr, /Exported 4 records and moderations\.[^]*The folder is damaged/);
  assert.doesNotMatch(stdout + stderr, /econd|first|fourth|private/);
  assert.deepEqual(filesOf(folder), before);
  const target = { DATA_DIR: join(folder, '../restored') };
  await runSuccessfully(['import', file], target);
  assert.equal(await runSuccessfully(['export', '-'], target), readFileSync(file, 'utf8'));
  assert.match(await runSuccessfully(['check'], target), /2 posts \(1 visible\)/);
});

it('salvage refuses wrong arguments with 2, and what is no store, or a file that exists, with 1', async (test) => {
  const { folder, file } = await makeStore(test);
  const empty = join(folder, '../empty');
  mkdirSync(empty);
  const refused: [args: string[], code: number, message: RegExp][] = [
    [[], 2, /Write: porchlight salvage FOLDER --to FILE/],
    [[folder], 2, /Write: porchlight salvage FOLDER --to FILE/],
    [[empty, '--to', file], 1, /there is no store in this folder/],
    [[join(empty, 'missing'), '--to', file], 1, /The folder cannot be read: no such file or directory/],
    [[folder, '--to', join(folder, 'x')], 1, /is in the damaged folder, which salvage must not change/],
    [[folder, '--to', join(empty, 'missing/x')], 1, /cannot be created: no such file or directory/],
    [[folder, '--to', join(folder, '../other')], 1, /cannot be created: file already exists/],
  ];
  writeFileSync(join(folder, '../other'), 'something else');
  const before = filesOf(join(folder, '..'));
  for (const [args, code, message] of refused) {
    const { status, stderr } = await runProgram(['salvage', ...args]);
    assert.equal(status, code, stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  }
  assert.deepEqual(filesOf(join(folder, '..')), before);
});
