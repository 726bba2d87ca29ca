import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../support/folder.ts';
import { runSuccessfully } from '../../support/product.ts';

/** Written by the program of the commit 9ec9ee02: four posts, one of them hidden and one erased. */
const FIXTURE = join(import.meta.dirname, '../../fixtures/export-format-2.jsonl');

it('an export of format 2 is imported, and exported again with the same records', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test) };
  await runSuccessfully(['import', FIXTURE], settings);
  const exported = readFileSync(FIXTURE, 'utf8').replace('"format":2', '"format":5');
  const entries = exported.split('\n').length - 2;
  const end = `{"end":{"entries":${entries}}}\n`;
  assert.equal(await runSuccessfully(['export', '-'], settings), exported + end);
});
