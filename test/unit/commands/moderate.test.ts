import assert from 'node:assert/strict';
import { test } from 'node:test';
import { erase } from '#commands/moderate.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { commandArgs, SILENT } from '../../support/commands.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openNewStore } from '../../support/postgres/postgres.ts';
import { addPost } from '../../support/store/writes.ts';

/** @returns what `porchlight erase` prints on standard error */
async function runErase(store: Store): Promise<string> {
  const { record } = await addPost(store, 'x');
  const printed: string[] = [];
  await erase.run(store, commandArgs({ positionals: [record.id], reason: 'x' }), {
    ...SILENT,
    logStatus: (line) => printed.push(line),
  });
  return printed.join('\n');
}

test('erase in a folder says that copies made before still hold the text', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await openFolderStore({ folder, clock: { now: () => 0 }, report: () => undefined });
  t.after(() => store.close());
  assert.equal(
    await runErase(store),
    'Erased: no read and no export returns its text. No file of the store holds it. Backups and exports made before still do.',
  );
});

test('erase in a database also names what PostgreSQL keeps', async (t) => {
  const { store } = await openNewStore(t);
  assert.match(
    await runErase(store),
    /^Erased: .* free space of a page .* write-ahead log and its archives.* standbys\. Backups and exports/,
  );
});
