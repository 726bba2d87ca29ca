import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportAll } from '#commands/export.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { StoreFailure } from '#store/port/store.ts';
import { commandArgs, SILENT } from '../../support/commands.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { addPost } from '../../support/store/writes.ts';

test('an export that cannot be noted is written all the same, and says so', async (t) => {
  const folder = await temporaryFolder(t);
  const clock = { now: () => Date.now() };
  const store = await openFolderStore({ folder, clock, report: () => undefined });
  t.after(() => store.close());
  await addPost(store, 'a text');
  const privateStore = new FolderPrivateStore({ disk: nodeDisk, folder, clock });
  privateStore.append = () => Promise.reject(new StoreFailure('nothing', 'the data folder is not writable'));
  const file = join(folder, 'export.jsonl');
  const lines: string[] = [];
  await exportAll.run(store, commandArgs({ positionals: [file], privateStore }), {
    ...SILENT,
    logStatus: (line) => lines.push(line),
  });
  assert.match(readFileSync(file, 'utf8'), /"message":"a text"/);
  assert.deepEqual(lines, [
    'Exported 1 records and moderations.',
    'porchlight status does not count this export: the data folder is not writable.',
  ]);
});
