import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  post,
  visibleTexts,
  startOne,
  startTwo,
  type Machine,
  type Process,
} from '../../../support/store/machine.ts';
import { writeOutcome } from '../../../support/store/write-outcome.ts';
import { erase } from '../../../support/store/writes.ts';
import { thoroughTest } from '../../../support/thorough.ts';

const occurrences = (machine: Machine, text: string): number => machine.log.toString().split(text).length - 1;

/** Checks what every process, and a new one, reads. */
async function assertTexts(machine: Machine, texts: readonly string[], ...running: Process[]): Promise<void> {
  for (const process of [...running, await machine.start()])
    assert.deepEqual(await visibleTexts(process), texts);
}

test('the fence keeps an append of the old holder from counting, though nothing else was written', async (t) => {
  const [machine, a, b] = await startTwo(t);
  const stop = a.disk.stopBefore('append', /^log/);
  const late = post(a, 'late');
  await stop.arrived;
  machine.presumeDead(a);
  const second = b.disk.stopAfter('sync', /^log/);
  const prompt = post(b, 'prompt');
  // The new holder has written its fence, and has not read on.
  await second.arrived;
  const decided = a.disk.stopBefore('overwrite', /^log/);
  stop.release();
  await decided.arrived;
  assert.deepEqual(await visibleTexts(await machine.start()), []);
  second.release();
  await prompt;
  decided.release();
  await late;
  await assertTexts(machine, ['prompt', 'late'], a, b);
});

test('a holder whose lock is replaced between any two of its calls loses nothing, and brings no erased text back', async (t) => {
  for (let number = 1; ; number++) {
    const [machine, a, b] = await startTwo(t);
    const { record } = await post(a, 'some secret text');
    const stop = a.disk.stopAtCall(number);
    const calls = post(a, 'by a').then(() => erase(a.store, record.id));
    const wasStopped = await Promise.race([stop.arrived.then(() => true), calls.then(() => false)]);
    if (!wasStopped) {
      stop.release();
      assert.ok(number > 15, `only ${number} calls`);
      return;
    }
    machine.presumeDead(a);
    await post(b, 'by b');
    await erase(b.store, record.id);
    assert.doesNotMatch(JSON.stringify(machine.files()), /secret/, `before call ${number}`);
    stop.release();
    await calls;
    const texts = await visibleTexts(await machine.start());
    assert.deepEqual(texts.toSorted(), ['by a', 'by b'], `before call ${number}`);
    for (const process of [a, b]) assert.deepEqual(await visibleTexts(process), texts);
    assert.doesNotMatch(JSON.stringify(machine.files()), /secret/, `before call ${number}`);
    await machine.stop();
  }
});

test('a fragment at the end never counts, also if only its line feed is missing, and is blanked', async (t) => {
  for (const cut of [1, 2, 40, 200]) {
    const [machine, a] = await startOne(t);
    await post(a, 'first');
    await post(a, 'secret');
    await a.store.close();
    machine.log = machine.log.subarray(0, -cut);
    const [b, c] = [await machine.start(), await machine.start()];
    await post(b, 'second');
    await post(b, 'third');
    await assertTexts(machine, ['first', 'second', 'third'], b, c);
    assert.equal(occurrences(machine, 'secret'), 0, `${cut} bytes are missing`);
  }
});

test('a reader leaves a torn line for its next look', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  await post(a, 'second');
  await a.store.close();
  const whole = machine.log;
  machine.log = whole.subarray(0, -30);
  const b = await machine.start();
  assert.deepEqual(await visibleTexts(b), ['first']);
  appendFileSync(machine.path('log.jsonl'), whole.subarray(-30));
  assert.deepEqual(await visibleTexts(b), ['first', 'second']);
});

test('what stands between two lines and is none is blanked once an own line counts behind it', async (t) => {
  const [machine, a, b] = await startTwo(t);
  await post(a, 'first');
  appendFileSync(machine.path('log.jsonl'), 'secret 1\n{"at":1,"secret":2}\nsecret 3');
  await post(b, 'second');
  await post(b, 'third');
  await assertTexts(machine, ['first', 'second', 'third'], a, b);
  assert.equal(occurrences(machine, 'secret'), 0);
});

test('of a batch that a full disk cuts off the whole lines count, and the others are written again or refused', async (t) => {
  for (const isFull of [false, true]) {
    const [machine, a] = await startOne(t);
    await post(a, 'number 0');
    const length = machine.log.toString().split('\n').at(-2)!.length + 1;
    a.disk.shortNext(2 + length + 30, /^log/);
    const outcomes = [1, 2, 3].map((number) => writeOutcome(post(a, `number ${number}`)));
    if (isFull) a.disk.failNext('append', 'ENOSPC', /^log/);
    const stored = isFull ? ['stored', 'nothing', 'nothing'] : ['stored', 'stored', 'stored'];
    assert.deepEqual(await Promise.all(outcomes), stored);
    await post(a, 'number 4');
    const numbers = isFull ? [0, 1, 4] : [0, 1, 2, 3, 4];
    await assertTexts(
      machine,
      numbers.map((number) => `number ${number}`),
      a,
    );
    for (const number of [2, 3]) assert.equal(occurrences(machine, `number ${number}`), isFull ? 0 : 1);
  }
});

test('of a batch that was cut off no write is refused while it cannot be read whether a sync failed', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'number 0');
  const length = machine.log.toString().split('\n').at(-2)!.length + 1;
  a.disk.shortNext(2 + length + 30, /^log/);
  const stop = a.disk.stopAfter('sync', /^log/);
  const outcomes = [1, 2].map((number) => writeOutcome(post(a, `number ${number}`)));
  await stop.arrived;
  writeFileSync(machine.path('failed'), '{"boot":"another","from":0}');
  a.disk.failNext('open', 'EIO', /failed$/);
  stop.release();
  assert.deepEqual(await Promise.all(outcomes), ['unknown', 'unknown']);
  await assertTexts(machine, ['number 0', 'number 1']);
});

test('a log that was replaced under a running process takes no write of it, and the message says what to do', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  copyFileSync(machine.path('log.jsonl'), machine.path('restored'));
  await post(a, 'second');
  renameSync(machine.path('restored'), machine.path('log.jsonl'));
  await assert.rejects(post(a, 'third'), { stored: 'nothing', message: /restart this process/ });
  assert.deepEqual(await visibleTexts(a), ['first', 'second']);
  await assertTexts(machine, ['first']);
});

test('a log that became shorter under a running process takes no write of it', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  const { log } = machine;
  await post(a, 'second');
  machine.log = log;
  await assert.rejects(post(a, 'third'), {
    stored: 'nothing',
    message: /became shorter; restart this process/,
  });
  assert.deepEqual(machine.log, log);
});

test('a process that has seen the log become shorter takes no write until it is restarted, though others write past its place', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  const { log } = machine;
  await post(a, 'second');
  await post(a, 'third');
  const { length } = machine.log;
  machine.log = log;
  assert.equal((await a.store.read.totals()).posts, 3);
  const b = await machine.start();
  const texts = Array.from({ length: 4 }, (_, number) => `by b ${number}`);
  for (const text of texts) await post(b, text);
  assert.ok(machine.log.length > length);
  for (let number = 0; number < 3; number++)
    await assert.rejects(post(a, `by a ${number}`), { stored: 'nothing', message: /restart this process/ });
  await assertTexts(machine, ['first', ...texts], b);
  await post(b, 'last');
  await assertTexts(machine, ['first', ...texts, 'last'], b);
});

thoroughTest('many short dead lines are blanked in a few pieces', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  machine.log = Buffer.concat([machine.log, Buffer.from('x\n'.repeat(20_000))]);
  a.disk.calls.length = 0;
  await post(a, 'second');
  assert.ok(a.disk.calls.filter((call) => call === 'overwrite log.jsonl').length < 10);
  assert.ok(!machine.log.includes('x\n'));
  assert.deepEqual(await visibleTexts(await machine.start()), ['first', 'second']);
});

test('zeros behind the log, as a hole of gigabytes, are left, and a write succeeds', async (t) => {
  const [machine, a] = await startOne(t);
  await post(a, 'first');
  truncateSync(machine.path('log.jsonl'), machine.log.length + 8 * 1024 * 1024);
  const { blocks } = statSync(machine.path('log.jsonl'));
  await post(a, 'second');
  await post(a, 'third');
  assert.ok(statSync(machine.path('log.jsonl')).blocks < blocks + 64);
  assert.deepEqual(await visibleTexts(await machine.start()), ['first', 'second', 'third']);
});
