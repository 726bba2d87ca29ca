import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { FIRST_LINE, LOG } from '#store/folder/line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runProgram, runSuccessfully } from '../../support/product.ts';

/** Written by the program of the commit 9ec9ee02: four posts, one of them hidden and one erased, and an export. */
const FIXTURE = join(import.meta.dirname, '../../fixtures/second-edition');

const filesOf = (folder: string): unknown[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'latin1')]);

it('every command refuses a folder of the second edition, also beside a log, and names the way out', async (test) => {
  const folder = join(await temporaryFolder(test), 'data');
  cpSync(join(FIXTURE, 'data'), folder, { recursive: true });
  const settings = { DATA_DIR: folder, PORT: '0' };
  const file = join(folder, '../export.jsonl');
  const commands = [
    ['serve'],
    ['stdio'],
    ['check'],
    ['export', '-'],
    ['import', join(FIXTURE, 'export.jsonl')],
    ['repair'],
    ['salvage', folder, '--to', file],
  ];
  for (const hasLog of [false, true]) {
    if (hasLog) writeFileSync(join(folder, LOG), FIRST_LINE);
    const before = filesOf(folder);
    for (const args of commands) {
      const { status, stdout, stderr } = await runProgram(args, settings);
      assert.deepEqual([status, stdout], [1, ''], `${args[0]!}: ${stdout}${stderr}`);
      assert.match(stderr, /an earlier version of this program wrote the data of this folder/);
      assert.match(stderr, /`node bin\/porchlight\.js export backup\.jsonl --data-dir FOLDER`/);
      assert.match(stderr, /`docker compose exec -T porchlight porchlight export - > backup\.jsonl`/);
      assert.match(stderr, /`porchlight import`.*limits and retries.*reports, denials.*position of a mirror/);
      assert.doesNotMatch(stderr, /^ {4}at /m);
    }
    assert.deepEqual(filesOf(folder), before);
  }
});

it('an export of the second edition is imported, and exported again as it was', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test) };
  const file = join(FIXTURE, 'export.jsonl');
  await runSuccessfully(['import', file], settings);
  const exported = readFileSync(file, 'utf8').replace('"format":2', '"format":3');
  assert.equal(await runSuccessfully(['export', '-'], settings), exported);
});
