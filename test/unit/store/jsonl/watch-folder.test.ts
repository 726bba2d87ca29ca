import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { watchFolder } from '#store/jsonl/watch-folder.ts';
import { GatedDisk } from '../../../support/store/gated-disk.ts';
import { systemError } from '../../../support/store/plans.ts';
import { testClock } from '../../../support/clock.ts';
import { Machine, post, visibleTexts, type Process } from '../../../support/store/machine.ts';

/** Collects the texts of change events. @returns the texts so far, and a function that stops listening */
function listen({ store }: Process): { texts: string[]; stop: () => void } {
  const texts: string[] = [];
  const stop = store.watch(({ id }) => {
    store.read
      .find('post', id)
      .then((kept) => texts.push(kept?.record.message ?? 'not there'), assert.ifError);
  });
  return { texts, stop };
}

test('a write of another process notifies listeners as soon as the folder watcher reports it', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const { texts, stop } = listen(a);
  await post(b, '1');
  a.disk.notifyWatcher();
  await visibleTexts(a);
  assert.deepEqual(texts, ['1']);
  stop();
  await post(b, '2');
  a.disk.notifyWatcher();
  await visibleTexts(a);
  assert.deepEqual(texts, ['1']);
});

test('if the folder watcher cannot start, or fails later, the store polls every second', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  for (const way of ['at once', 'later'] as const) {
    const machine = new Machine(t);
    const disk = new GatedDisk();
    if (way === 'at once')
      disk.watch = () => {
        throw systemError('ENOSPC');
      };
    const [a, b] = [await machine.start(disk), await machine.start()];
    const { texts, stop } = listen(a);
    if (way === 'later') disk.failWatcher(systemError('EMFILE'));
    assert.match(a.reports[0] ?? '', /^reads the log every second, since the folder cannot be watched: /);
    await post(b, '1');
    t.mock.timers.tick(1000);
    await visibleTexts(a);
    assert.deepEqual(texts, ['1'], way);
    stop();
    const calls = a.disk.calls.length;
    await post(b, '2');
    t.mock.timers.tick(5000);
    assert.equal(a.disk.calls.length, calls, way);
  }
});

test('the folder watcher reports a new file; for a missing folder it reports a failure and does not throw', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  const alive = setInterval(() => undefined, 1000);
  const reports: string[] = [];
  const options = {
    disk: nodeDisk,
    folder,
    clock: testClock('2026-11-21T00:00:00.000Z'),
    report: (message: string) => {
      reports.push(message);
    },
  };
  try {
    await new Promise<void>((resolve) => {
      const stop = watchFolder(options, () => {
        stop();
        resolve();
      });
      writeFileSync(join(folder, 'news'), 'x');
    });
    assert.deepEqual(reports, []);
    watchFolder({ ...options, folder: join(folder, 'nowhere') }, () => undefined)();
    assert.equal(reports.length, 1);
  } finally {
    clearInterval(alive);
    rmSync(folder, { recursive: true });
  }
});

test('if fstat fails reads are served from memory, and no change event is lost', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  const { texts, stop } = listen(a);
  await post(b, '1');
  a.disk.sizeErrorCode = 'EIO';
  a.disk.notifyWatcher();
  assert.deepEqual(await visibleTexts(a), []);
  await assert.rejects(post(a, 'never'));
  a.disk.sizeErrorCode = undefined;
  assert.deepEqual(await visibleTexts(a), ['1']);
  await post(a, '2');
  await visibleTexts(a);
  assert.deepEqual(texts, ['1', '2']);
  assert.deepEqual(await a.store.health(), { writable: true, reason: null, notifying: true });
  stop();
});

test('a listener that throws is logged, and the write that notified it is stored', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  a.store.watch(() => {
    throw new TypeError('a bug of the listener');
  });
  await post(a, '1');
  await post(b, '2');
  assert.deepEqual(await visibleTexts(a), ['1', '2']);
  await post(a, '3');
  for (const reader of [a, b, await machine.start()])
    assert.deepEqual(await visibleTexts(reader), ['1', '2', '3']);
  assert.deepEqual(new Set(a.reports), new Set(['a listener failed: TypeError']));
});

test('a closed store rejects reads and writes, makes no system call and leaves no file open', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, '1');
  a.store.watch(() => undefined);
  const late = post(a, '2');
  const closing = a.store.close();
  await Promise.all([late, closing]);
  const calls = a.disk.calls.length;
  await post(b, '3');
  a.disk.notifyWatcher();
  await assert.rejects(visibleTexts(a), { name: 'StoreFailure', message: 'the store is closed' });
  await assert.rejects(post(a, 'never'), { name: 'StoreFailure', stored: 'nothing' });
  assert.deepEqual(await a.store.health(), { writable: true, reason: null, notifying: true });
  await a.store.close();
  assert.equal(a.disk.calls.length, calls);
  assert.equal(a.disk.openFiles, 0);
});
