import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import type { ImportOutcome } from '#workspace/log/import-entry.ts';
import {
  Machine,
  post,
  visibleTexts,
  startOne,
  startTwo,
  type Process,
} from '../../../support/store/machine.ts';
import { OVERLAPS, type Overlap } from '../../../support/store/overlaps.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { importEntries, lookUp } from '../../../support/store/writes.ts';
import { firstOf } from '../../../support/thorough.ts';

const LATE = ['late 1', 'late 2', 'late 3'];

/** @returns what the outcomes of a batch of three posts are */
const postLate = (process: Process): Promise<string[]> =>
  Promise.all(LATE.map((text) => writeOutcome(post(process, text))));

const textsInNewProcess = async (machine: Machine): Promise<string[]> => visibleTexts(await machine.start());

/** @returns the bytes that a process which finds this folder appends to its log */
async function bytesOf(
  t: TestContext,
  { folder, log }: Machine,
  write: (process: Process) => Promise<unknown>,
): Promise<Buffer> {
  const other = new Machine(t);
  cpSync(folder, other.folder, { recursive: true });
  await write(await other.start());
  const bytes = other.log.subarray(log.length);
  await other.stop();
  return bytes;
}

/**
 * Lets others write right before the look number `number` of a process at the size of the log, and take its
 * lock away: the process was stopped there for longer than its lock lives.
 * @returns whether that came before the process had appended; undefined if it looked less often
 */
function writeBeforeLook(
  machine: Machine,
  { disk }: Process,
  number: number,
  bytes: Buffer,
): () => boolean | undefined {
  const { length } = machine.log;
  let [looks, wasInTime] = [0, undefined as boolean | undefined];
  disk.onSize = (path) => {
    if (!path.endsWith('log.jsonl') || (looks += 1) !== number) return;
    wasInTime = machine.log.length === length;
    if (!wasInTime) return;
    appendFileSync(machine.path('log.jsonl'), bytes);
    rmSync(machine.path('lock'), { force: true });
  };
  return () => wasInTime;
}

for (const foreign of firstOf([3, 1, 2]))
  test(`of a batch of three that is stopped at any look at the log, while others write ${foreign}, each is stored once`, async (t) => {
    for (let number = 1, wasInTime: boolean | undefined = true; wasInTime === true; number++) {
      const [machine, a] = await startOne(t);
      await post(a, 'first');
      const prompt = Array.from({ length: foreign }, (_, index) => `prompt ${index}`);
      const bytes = await bytesOf(t, machine, (other) =>
        Promise.all(prompt.map((text) => post(other, text))),
      );
      const hasWritten = writeBeforeLook(machine, a, number, bytes);
      const outcomes = await postLate(a);
      wasInTime = hasWritten();
      if (wasInTime !== true) assert.ok(number > 2, `only ${number} looks`);
      const texts = wasInTime === true ? ['first', ...prompt, ...LATE] : ['first', ...LATE];
      assert.deepEqual((await textsInNewProcess(machine)).toSorted(), texts.toSorted(), `look ${number}`);
      assert.deepEqual(outcomes, ['stored', 'stored', 'stored'], `look ${number}`);
      assert.deepEqual(await visibleTexts(a), await textsInNewProcess(machine), `look ${number}`);
      await machine.stop();
    }
  });

test('of a batch that is stopped before any of its calls, while another process writes, each is stored once', async (t) => {
  for (let number = 1; ; number++) {
    const [machine, a, b] = await startTwo(t);
    const stop = a.disk.stopAtCall(number);
    const late = postLate(a);
    const wasStopped = await Promise.race([stop.arrived.then(() => true), late.then(() => false)]);
    if (wasStopped) {
      machine.presumeDead(a);
      await Promise.all([post(b, 'prompt 1'), post(b, 'prompt 2')]);
    }
    stop.release();
    assert.deepEqual(await late, ['stored', 'stored', 'stored'], `before call ${number}`);
    const texts = await textsInNewProcess(machine);
    const expected = wasStopped ? [...LATE, 'prompt 1', 'prompt 2'] : LATE;
    assert.deepEqual(texts.toSorted(), expected, `before call ${number}`);
    for (const process of [a, b]) assert.deepEqual(await visibleTexts(process), texts);
    await machine.stop();
    if (!wasStopped) return assert.ok(number > 10, `only ${number} calls`);
  }
});

/** Checks that each entry was stored by one import, and that what the late one alone has is there. */
async function assertImported(
  machine: Machine,
  outcomes: readonly ImportOutcome[],
  { texts, reasons }: Overlap,
  name: string,
): Promise<void> {
  const { store } = await machine.start();
  const page = await store.read.page('post', { order: 'oldest', limit: 99 });
  assert.deepEqual(page.map(({ record }) => record.message).toSorted(), texts, name);
  const stored = (await store.read.moderations(99)).map(({ reason }) => reason);
  assert.deepEqual(stored, reasons, name);
  assert.deepEqual(outcomes, ['stored', 'known'], name);
}

for (const [what, overlap] of firstOf(Object.entries(OVERLAPS))) {
  test(`an import that is stopped before any of its calls, while another one stores ${what} of it, counts what it stored itself`, async (t) => {
    for (let number = 1; ; number++) {
      const [machine, a, b] = await startTwo(t);
      const stop = a.disk.stopAtCall(number);
      const late = importEntries(a.store, overlap.late);
      const wasStopped = await Promise.race([stop.arrived.then(() => true), late.then(() => false)]);
      if (!wasStopped) {
        stop.release();
        return assert.ok(number > 8, `only ${number} calls`);
      }
      // Before the first call that another process can notice, and behind the append, the late one is first.
      const isSecond = !machine.log.includes('own');
      machine.presumeDead(a);
      const prompt = await importEntries(b.store, overlap.prompt);
      stop.release();
      const outcomes = await late;
      if (isSecond) await assertImported(machine, outcomes, overlap, `before call ${number}`);
      else assert.equal([outcomes.at(-1), prompt.at(-1)].filter((one) => one === 'stored').length, 1);
      await machine.stop();
    }
  });

  test(`an import that is stopped at any look at the log, while another one stores ${what} of it, counts what it stored itself`, async (t) => {
    for (let number = 1; ; number++) {
      const [machine, a] = await startOne(t);
      const bytes = await bytesOf(t, machine, ({ store }) => importEntries(store, overlap.prompt));
      const hasWritten = writeBeforeLook(machine, a, number, bytes);
      const outcomes = await importEntries(a.store, overlap.late);
      if (hasWritten() !== true) return assert.ok(number > 2, `only ${number} looks`);
      await assertImported(machine, outcomes, overlap, `look ${number}`);
      await machine.stop();
    }
  });
}

test('a process that finds the log longer syncs it before it shows it, with a lock and without one', async (t) => {
  for (const hasLock of [true, false]) {
    const machine = new Machine(t);
    const [a, c] = [await machine.start(), await machine.start()];
    const stop = a.disk.stopBefore('sync', /^log/);
    const late = post(a, 'late');
    await stop.arrived;
    if (!hasLock) rmSync(machine.path('lock'));
    c.disk.calls.length = 0;
    const texts = await visibleTexts(c);
    const hasSynced = c.disk.calls.includes('sync log.jsonl');
    stop.release();
    await late;
    assert.ok(texts.length === 0 || hasSynced, `with a lock: ${hasLock}`);
  }
});

test('what a process appends after another one has taken its lock and left it is shown by nobody before a sync', async (t) => {
  const machine = new Machine(t);
  const [a, b, c] = [await machine.start(), await machine.start(), await machine.start()];
  const linked = a.disk.stopAfter('link', /^lock/);
  const late = post(a, 'late');
  await linked.arrived;
  machine.presumeDead(a);
  await lookUp(b.store, { type: 'record', id: 'post_00000000-0000-7000-8000-000000000000' });
  await b.store.close();
  assert.equal(existsSync(machine.path('lock')), false);
  const unsynced = a.disk.stopBefore('sync', /^log/);
  linked.release();
  await unsynced.arrived;
  c.disk.calls.length = 0;
  const texts = await visibleTexts(c);
  const hasSynced = c.disk.calls.includes('sync log.jsonl');
  unsynced.release();
  await late;
  assert.ok(texts.length === 0 || hasSynced);
});
