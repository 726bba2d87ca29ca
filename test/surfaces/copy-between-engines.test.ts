import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { LAUNCHER } from '../support/product.ts';
import { openTestWorkspace } from '../support/context.ts';
import { hide, erase } from '../support/store/writes.ts';

function operate(settings: Readonly<Record<string, string>>, ...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    encoding: 'utf8',
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], ...settings },
  });
  assert.equal(status, 0, stderr);
}

test('a workspace moves from a folder into a database and back, with the same export byte for byte', async (t) => {
  const [folder, back, exports] = [
    await temporaryFolder(t),
    join(await temporaryFolder(t), 'new'),
    await temporaryFolder(t),
  ];
  const { store } = await openTestWorkspace({ folder });
  const [first, second] = await store.read.page('post', { order: 'oldest', limit: 2 });
  await hide(store, first!.record.id, 'advertising');
  await erase(store, second!.record.id, 'private data');
  await store.close();

  const url = await newDatabase(t);
  operate({ DATA_DIR: folder }, 'copy', '--to', url);
  operate({ DATABASE_URL: url }, 'copy', '--to', back);
  const written = [{ DATA_DIR: folder }, { DATABASE_URL: url }, { DATA_DIR: back }].map((place, n) => {
    const file = join(exports, `${n}.jsonl`);
    operate(place, 'export', file);
    return readFileSync(file, 'utf8');
  });
  for (const one of written) assert.equal(one, written[0]);
});
