import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { pipeStore, runSuccessfully } from '../support/product.ts';
import { openTestWorkspace } from '../support/context.ts';
import { hide, erase } from '../support/store/writes.ts';

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
  assert.equal((await pipeStore({ DATA_DIR: folder }, { DATABASE_URL: url })).status, 0);
  assert.equal((await pipeStore({ DATABASE_URL: url }, { DATA_DIR: back })).status, 0);
  const written: string[] = [];
  for (const [index, store] of [{ DATA_DIR: folder }, { DATABASE_URL: url }, { DATA_DIR: back }].entries()) {
    const file = join(exports, `${index}.jsonl`);
    await runSuccessfully(['export', file], store);
    written.push(readFileSync(file, 'utf8'));
  }
  for (const one of written) assert.equal(one, written[0]);
});
