import assert from 'node:assert/strict';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { moderate } from '#workspace/operator-writes.ts';

const clock = { now: () => Date.now() };
const store = await openFolderStore({ folder: process.argv[2]!, clock, report: () => undefined });

/** @returns the milliseconds of the erase */
async function erase(id: string): Promise<number[]> {
  const start = performance.now();
  assert.equal(await moderate(store, 'erase', id, 'bench'), true);
  return [performance.now() - start];
}

process.on('message', ({ id }: { id: string }) => {
  void erase(id).then((times) => process.send!(times));
});
