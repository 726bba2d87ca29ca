import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { StoreFailure } from '#store/store.ts';
import { Machine, post, visibleTexts, type Process } from '../../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

/** Stores two posts. @returns the log with the first one, and the bytes of the second line */
async function withLine(machine: Machine): Promise<{ before: Buffer; line: Buffer }> {
  const a = await machine.start();
  await post(a, 'first');
  const before = readFileSync(machine.path(LOG));
  await post(a, 'second');
  const line = readFileSync(machine.path(LOG)).subarray(before.length);
  await a.store.close();
  return { before, line };
}

test('a line torn at any byte is ignored, marked as aborted by the next writer, and never applied', async (t) => {
  const machine = new Machine(t);
  const { before, line } = await withLine(machine);
  for (let cut = 1; cut < line.length; cut++) {
    const torn = Buffer.concat([before, line.subarray(0, cut)]);
    writeFileSync(machine.path(LOG), torn);
    const a = await machine.start();
    assert.deepEqual(a.reports, [
      `passed over ${cut} bytes at the end of the log, of a write that was cut off`,
    ]);
    assert.deepEqual(await visibleTexts(a), ['first']);
    assert.deepEqual(readFileSync(machine.path(LOG)), torn);
    await post(a, 'third');
    await a.store.close();
    const b = await machine.start();
    assert.deepEqual(await visibleTexts(b), ['first', 'third'], `cut at ${cut}`);
    assert.deepEqual(b.reports, []);
    await b.store.close();
    const spoiled = Buffer.concat([torn, Buffer.from('#\n')]);
    assert.deepEqual(readFileSync(machine.path(LOG)).subarray(0, spoiled.length), spoiled);
  }
});

test('a running process ignores a torn write too, and marks it as aborted', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  for (const takes of [1, 100, 200]) {
    b.disk.shortNext(takes, /^log/);
    await assert.rejects(
      post(b, 'never'),
      (error) => error instanceof StoreFailure && error.stored === 'nothing',
    );
    const before = await visibleTexts(a);
    await post(a, `behind ${takes}`);
    for (const reader of [a, b, await machine.start()]) {
      assert.deepEqual(await visibleTexts(reader), [...before, `behind ${takes}`]);
    }
  }
});

/**
 * Makes the others leave torn writes just before `process` appends, each without knowing of the one before.
 */
function surprise(process: Process, takes: number, [other, ...others]: readonly Process[]): void {
  if (other === undefined) return;
  process.disk.interpose(
    'append',
    async () => {
      surprise(other, takes, others);
      other.disk.shortNext(takes, /^log/);
      await assert.rejects(post(other, 'never'), StoreFailure);
    },
    /^log/,
  );
}

test('a record appended after torn writes that its writer had not seen is ignored, and stored by a second append', async (t) => {
  const machine = new Machine(t);
  const { line } = await withLine(machine);
  const stored = ['first', 'second'];
  for (const takes of [1, 6, 7, 100, line.length - 2, line.length - 1])
    for (const count of [1, 2, 3]) {
      const processes = [
        await machine.start(),
        await machine.start(),
        await machine.start(),
        await machine.start(),
      ];
      const [a, ...others] = processes as [Process, ...Process[]];
      surprise(a, takes, others.slice(0, count));
      await post(a, `behind ${count} of ${takes}`);
      await post(others[0]!, 'and on');
      stored.push(`behind ${count} of ${takes}`, 'and on');
      for (const reader of [...processes, await machine.start()])
        assert.deepEqual(await visibleTexts(reader), stored);
      await Promise.all(processes.map(({ store }) => store.close()));
    }
});

test('a write in progress that a start took for a torn write is applied once it is complete', async (t) => {
  const machine = new Machine(t);
  const { before, line } = await withLine(machine);
  for (const half of [1, 50, line.length - 1]) {
    writeFileSync(machine.path(LOG), Buffer.concat([before, line.subarray(0, half)]));
    const a = await machine.start();
    assert.deepEqual(await visibleTexts(a), ['first']);
    a.disk.interpose(
      'append',
      () => {
        appendFileSync(machine.path(LOG), line.subarray(half));
      },
      /^log/,
    );
    await post(a, 'third');
    for (const reader of [a, await machine.start()])
      assert.deepEqual(await visibleTexts(reader), ['first', 'second', 'third']);
    await a.store.close();
  }
});

test('a reader applies a partly written line once it is complete', async (t) => {
  const machine = new Machine(t);
  const { before, line } = await withLine(machine);
  writeFileSync(machine.path(LOG), before);
  const a = await machine.start();
  for (const byte of line.subarray(0, -1)) {
    appendFileSync(machine.path(LOG), Buffer.of(byte));
    assert.deepEqual(await visibleTexts(a), ['first']);
  }
  appendFileSync(machine.path(LOG), '\n');
  assert.deepEqual(await visibleTexts(a), ['first', 'second']);
});
