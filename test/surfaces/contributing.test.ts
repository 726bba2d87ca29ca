import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadTools } from '../../tools/load.ts';
import { applyDiffs, diffsOf } from '../support/contributing.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = join(import.meta.dirname, '../..');

test('each diff of CONTRIBUTING still has its place in the source', async (t) => {
  for (const [section, files] of [
    ['Add a tool', 3],
    ['Add a limit on writes', 3],
    ['Add a query to the store', 7],
  ] as const) {
    const folder = await temporaryFolder(t);
    for (const file of diffsOf(section).keys())
      cpSync(join(ROOT, file, '..'), join(folder, file, '..'), { recursive: true });
    assert.equal(diffsOf(section).size, files);
    applyDiffs(section, folder);
  }
});

test('the rank of the tool that CONTRIBUTING adds is taken by no tool of its area', async () => {
  const [{ after = '' } = {}] = diffsOf('Add a tool').get('tools/count_messages.ts') ?? [];
  const [, area] = /^ {2}area: '(\w+)',$/m.exec(after) ?? [];
  const [, rank] = /^ {2}rank: (\d+),$/m.exec(after) ?? [];
  const inArea = (await loadTools()).filter((one) => one.area === area);
  assert.ok(inArea.length > 0);
  assert.ok(!inArea.some((one) => one.rank === Number(rank)));
});
