import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { syncFolder } from '#store/jsonl/fs/sync-folder.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { systemError } from '../../../../support/store/plans.ts';
import { freeze } from '../../../../support/store/writes.ts';

/** A file system on which opening or syncing a folder fails with `code`. */
function failing(platform: NodeJS.Platform, step: 'open' | 'sync', code: string) {
  const calls: string[] = [];
  const call = async (name: string): Promise<void> => {
    calls.push(name);
    if (name === step) throw systemError(code);
  };
  const openFolder = async () => {
    await call('open');
    return { sync: () => call('sync'), close: () => call('close') };
  };
  return { calls, system: { platform, openFolder } };
}

describe('syncFolder', () => {
  for (const step of ['open', 'sync'] as const) {
    const expected = step === 'open' ? ['open'] : ['open', 'sync', 'close'];
    for (const code of ['EPERM', 'EISDIR', 'EACCES']) {
      it(`ignores ${code} of ${step} on Windows`, async () => {
        const { calls, system } = failing('win32', step, code);
        await syncFolder('a folder', system);
        assert.deepEqual(calls, expected);
      });

      it(`rejects with ${code} of ${step} on Linux`, async () => {
        const { calls, system } = failing('linux', step, code);
        await assert.rejects(syncFolder('a folder', system), { code });
        assert.deepEqual(calls, expected);
      });
    }

    it(`rejects with EIO of ${step} on Windows`, async () => {
      await assert.rejects(syncFolder('a folder', failing('win32', step, 'EIO').system), { code: 'EIO' });
    });
  }
});

it('a store starts, writes and restarts on Windows, where folders cannot be synced', async (t) => {
  const { calls, system } = failing('win32', 'sync', 'EPERM');
  const disk = { ...nodeDisk, syncFolder: (path: string) => syncFolder(path, system) };
  const folder = await temporaryFolder(t);
  const options = { folder, clock: { now: () => 0 }, report: () => undefined, disk };
  const store = await openJsonlStore(options);
  await freeze(store);
  await store.close();
  const again = await openJsonlStore(options);
  assert.equal(await again.read.frozen(), true);
  await again.close();
  assert.ok(calls.includes('sync'));
});
