import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFolderPrivateStore } from '#private/folder-private-store.ts';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { runProgram } from '../support/product.ts';
import { runMirrors } from '../torture/support/mirror-run.ts';
import { SeededRandom } from '../torture/support/random.ts';

test('mirrors that were killed at random moments equal their origin over every surface', async (t) => {
  const { faults, records, erased } = await runMirrors({
    random: new SeededRandom(1),
    originFolder: await temporaryFolder(t),
    mirrors: [{ DATA_DIR: await temporaryFolder(t) }, { DATABASE_URL: await newDatabase(t) }],
    cuts: 12,
    maxUptimeMs: 3000,
    maxPauseMs: 20,
  });
  assert.deepEqual(faults, []);
  assert.ok(records > 100 && erased > 0, `${records} records, ${erased} erased`);
});

test('serve and stdio refuse the store of a mirror, which writes of their own would end', async (t) => {
  const folder = await temporaryFolder(t);
  const clock = { now: () => Date.now() };
  const privateStore = createFolderPrivateStore({ disk: nodeDisk, folder, clock });
  await privateStore.writeMirrorPosition({
    origin: 'https://porch.example.org',
    line: null,
    moderation: null,
  });
  for (const server of ['serve', 'stdio']) {
    const { status, stderr } = await runProgram([server], { DATA_DIR: folder, PORT: '0' });
    assert.notEqual(status, 0);
    assert.match(
      stderr,
      /This store is a mirror of https:\/\/porch\.example\.org: serve it with porchlight mirror/,
    );
  }
});
