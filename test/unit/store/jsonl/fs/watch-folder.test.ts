import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { nodeDisk } from '#store/jsonl/fs/disk.ts';
import { watchFolder } from '#store/jsonl/fs/watch-folder.ts';
import { GatedDisk } from '../../../../support/store/gated-disk.ts';
import { systemError } from '../../../../support/store/plans.ts';
import { testClock } from '../../../../support/clock.ts';
import { Machine, post, visibleTexts, type Process } from '../../../../support/store/machine.ts';

/** @returns the texts that a process is told of from now on, as they come, and how to stop. */
function listen({ store }: Process): { texts: string[]; stop: () => void } {
  const texts: string[] = [];
  const stop = store.watch(({ id }) => {
    store.read
      .find('post', id)
      .then((kept) => texts.push(kept?.record.message ?? 'not there'), assert.ifError);
  });
  return { texts, stop };
}

test('news of another process is told as soon as the system tells that the folder was written', async (t) => {
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

test('where the system has no watch to give, or takes it back, the store looks every second', async (t) => {
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
    assert.match(a.reports[0] ?? '', /^looks for news every second, since the folder cannot be watched: /);
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

test('the disk of this machine tells of what is written, and a folder that is not there does not stop the store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  const alive = setInterval(() => undefined, 1000);
  const told: string[] = [];
  const ground = {
    disk: nodeDisk,
    folder,
    clock: testClock('2026-11-21T00:00:00.000Z'),
    report: (what: string) => {
      told.push(what);
    },
  };
  try {
    await new Promise<void>((resolve) => {
      const stop = watchFolder(ground, () => {
        stop();
        resolve();
      });
      writeFileSync(join(folder, 'news'), 'x');
    });
    assert.deepEqual(told, []);
    watchFolder({ ...ground, folder: join(folder, 'nowhere') }, () => undefined)();
    assert.equal(told.length, 1);
  } finally {
    clearInterval(alive);
    rmSync(folder, { recursive: true });
  }
});

test('where not even the size of the log can be told, reads go on from memory and news is not lost', async (t) => {
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
  assert.deepEqual(await a.store.health(), { writable: true, reason: null });
  stop();
});

test('what listeners do in between does not tear a work apart', async (t) => {
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

test('a closed store answers from memory, touches no disk, and leaves no file open', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, '1');
  listen(a);
  const late = post(a, '2');
  const closing = a.store.close();
  await Promise.all([late, closing]);
  const calls = a.disk.calls.length;
  await post(b, '3');
  a.disk.notifyWatcher();
  assert.deepEqual(await visibleTexts(a), ['1', '2']);
  await assert.rejects(post(a, 'never'), { name: 'StoreFailure', stored: 'nothing' });
  assert.deepEqual(await a.store.health(), { writable: true, reason: null });
  await a.store.close();
  assert.equal(a.disk.calls.length, calls);
  assert.equal(a.disk.openFiles, 0);
});
