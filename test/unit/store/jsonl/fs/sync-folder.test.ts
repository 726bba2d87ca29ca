import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { syncFolder } from '#store/jsonl/fs/sync-folder.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { systemError } from '../../../../support/store/plans.ts';

/** A system whose folders fail with `code`, either when they are opened or when they are synced. */
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

describe('syncing a folder', () => {
  for (const step of ['open', 'sync'] as const) {
    const expected = step === 'open' ? ['open'] : ['open', 'sync', 'close'];
    for (const code of ['EPERM', 'EISDIR', 'EACCES']) {
      it(`on Windows passes if the system refuses to ${step} it with ${code}`, async () => {
        const { calls, system } = failing('win32', step, code);
        await syncFolder('a folder', system);
        assert.deepEqual(calls, expected);
      });

      it(`on Linux fails if the system refuses to ${step} it with ${code}`, async () => {
        const { calls, system } = failing('linux', step, code);
        await assert.rejects(syncFolder('a folder', system), { code });
        assert.deepEqual(calls, expected);
      });
    }

    it(`on Windows fails on EIO of ${step}`, async () => {
      await assert.rejects(syncFolder('a folder', failing('win32', step, 'EIO').system), { code: 'EIO' });
    });
  }
});

it('a store starts, writes and starts again where no folder can be synced, as on Windows', async (t) => {
  const { calls, system } = failing('win32', 'sync', 'EPERM');
  const disk = { ...nodeDisk, syncFolder: (path: string) => syncFolder(path, system) };
  const folder = await temporaryFolder(t);
  const options = { folder, clock: { now: () => 0 }, report: () => undefined, disk };
  const store = await openJsonlStore(options);
  await store.write((writer) => writer.setFrozen('freeze'));
  await store.close();
  const again = await openJsonlStore(options);
  assert.equal(await again.read.frozen(), true);
  await again.close();
  assert.ok(calls.includes('sync'));
});
