import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/port/store.ts';
import { testClock } from '../../../support/clock.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { systemError } from '../../../support/store/plans.ts';
import { NO_PROOF_MS } from '../../../support/store/proof-delay.ts';
import { addPost } from '../../../support/store/writes.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';

const TEXTS = ['1', '2', '3', '4', '5'];

class ReloadingFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  readonly #clock = testClock('2026-11-21T10:49:32.000Z');

  constructor(t: TestContext) {
    t.after(() => {
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  open(disk: GatedDisk): Promise<Store> {
    return openJsonlStore({
      disk,
      folder: this.folder,
      clock: this.#clock,
      report: () => undefined,
      pause: async () => undefined,
      proofDelayMs: NO_PROOF_MS,
    });
  }

  /**
   * The store has read a sixth line, which nothing proves and which the system drops: so the first write begins a segment
   * without it, and then reads the log anew.
   */
  async openBeforeReload(disk: GatedDisk): Promise<Store> {
    const killed = new GatedDisk();
    const writer = await this.open(killed);
    for (const text of TEXTS) await addPost(writer, text);
    const path = join(this.folder, 'log-000001.jsonl');
    const { length } = readFileSync(path);
    await addPost(writer, 'dropped');
    killed.kill();
    await writer.close().catch(() => undefined);
    const store = await this.open(disk);
    writeFileSync(path, readFileSync(path).fill(0, length));
    return store;
  }
}

async function textsOf({ read }: Store): Promise<string[]> {
  const page = await read.page('post', { order: 'oldest', limit: 100 });
  return page.map(({ record }) => record.message);
}

/** Calls back at each call on the second segment once the log is read anew. */
function duringReload(disk: GatedDisk, act: (call: string) => Promise<void> | void): void {
  let isReloading = false;
  disk.beforeCall = (call) => {
    isReloading ||= call === 'open log-000001.jsonl';
    return isReloading && call.endsWith('log-000002.jsonl') ? act(call) : undefined;
  };
}

test('reads succeed at every moment while a write has the log read anew', async (t) => {
  const folder = new ReloadingFolder(t);
  const disk = new GatedDisk();
  const store = await folder.openBeforeReload(disk);
  const reads: Promise<string[]>[] = [];
  duringReload(disk, async () => {
    reads.push(textsOf(store));
    await new Promise(setImmediate);
  });
  await addPost(store, '6');
  disk.beforeCall = undefined;
  for (const texts of await Promise.all(reads)) assert.deepEqual(texts.slice(0, 5), TEXTS);
  assert.ok(reads.length > 0);
  await store.close();
});

for (const call of ['open', 'read', 'sync'])
  for (const earlier of [0, 1, 2, 3])
    test(`after a failed ${call} behind ${earlier} others while the log is read anew, acknowledged posts are shown and stay`, async (t) => {
      const folder = new ReloadingFolder(t);
      const disk = new GatedDisk();
      const store = await folder.openBeforeReload(disk);
      let left = earlier;
      duringReload(disk, (made) => {
        if (!made.startsWith(call) || left-- > 0) return;
        disk.beforeCall = undefined;
        throw systemError('EIO');
      });
      const acknowledged: string[] = [];
      for (const text of ['6', '7', '8'])
        if ((await writeOutcome(addPost(store, text))) === 'stored') acknowledged.push(text);
      assert.deepEqual(await textsOf(store), [...TEXTS, ...acknowledged]);
      await store.close();
      const reopened = await folder.open(new GatedDisk());
      assert.deepEqual(await textsOf(reopened), [...TEXTS, ...acknowledged]);
      await reopened.close();
    });
