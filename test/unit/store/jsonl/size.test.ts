import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Store } from '#store/port/store.ts';
import { testClock } from '../../../support/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { Machine, post, postInNewSegment } from '../../../support/store/machine.ts';
import { NO_PROOF_MS } from '../../../support/store/proof-delay.ts';
import { addPost, erase } from '../../../support/store/writes.ts';

async function open(test: TestContext, folder: string): Promise<Store> {
  const clock = testClock('2026-03-02T09:00:00Z');
  const store = await openJsonlStore({ folder, clock, report: () => undefined, proofDelayMs: NO_PROOF_MS });
  test.after(() => store.close());
  return store;
}

/** @returns the size of all logs in the folder, in bytes */
function bytesOf(folder: string): number {
  return readdirSync(folder)
    .filter((name) => name.startsWith('log-'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

it('sizeInBytes is the length of the log, also after another process wrote', async (test) => {
  const folder = await temporaryFolder(test);
  const [one, other] = [await open(test, folder), await open(test, folder)];
  assert.equal(one.sizeInBytes(), bytesOf(folder));
  await addPost(other, 'x'.repeat(5000));
  assert.equal(other.sizeInBytes(), bytesOf(folder));
  await one.read.totals();
  assert.equal(one.sizeInBytes(), bytesOf(folder));
  assert.ok(bytesOf(folder) > 5000);
  assert.equal((await open(test, folder)).sizeInBytes(), bytesOf(folder));
});

it('inside a write sizeInBytes includes all earlier writes of every process', async (test) => {
  const folder = await temporaryFolder(test);
  const [one, other] = [await open(test, folder), await open(test, folder)];
  await addPost(other, 'x'.repeat(5000));
  const seen = await one.write({}, () => ({ answer: one.sizeInBytes() }));
  assert.equal(seen, bytesOf(folder));
});

it('sizeInBytes stays the length of the log when a text is overwritten', async (test) => {
  const folder = await temporaryFolder(test);
  const store = await open(test, folder);
  const { record } = await addPost(store, 'x'.repeat(5000));
  const before = bytesOf(folder);
  await erase(store, record.id, 'why');
  assert.ok(bytesOf(folder) - before < 1000);
  assert.equal(store.sizeInBytes(), bytesOf(folder));
});

it('sizeInBytes is the length of all segments', async (test) => {
  const machine = new Machine(test);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, 'x'.repeat(5000));
  await postInNewSegment(a);
  await post(a, 'y'.repeat(5000));
  await b.store.read.totals();
  assert.equal(machine.segments().length, 2);
  for (const { store } of [a, b, await machine.start()])
    assert.equal(store.sizeInBytes(), bytesOf(machine.folder));
});
