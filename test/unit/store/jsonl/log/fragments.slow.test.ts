import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { StoreFailure } from '#store/port/store.ts';
import { writeOutcome } from '../../../../support/store/write-outcome.ts';
import { Machine, post, visibleTexts } from '../../../../support/store/machine.ts';

const LOG = 'log-000001.jsonl';

/** Stores two posts. @returns the log with the first one, which is proved, and the bytes of the second write */
async function withLine(machine: Machine): Promise<{ before: Buffer; line: Buffer }> {
  const a = await machine.start();
  await post(a, 'first');
  await a.store.close();
  const before = readFileSync(machine.path(LOG));
  const b = await machine.start();
  await post(b, 'second');
  const line = readFileSync(machine.path(LOG)).subarray(before.length);
  await b.store.close();
  return { before, line };
}

test('a write torn at any byte is skipped, ended by the next writer, and never counts', async (t) => {
  const machine = new Machine(t);
  const { before, line } = await withLine(machine);
  for (let cut = 1; cut < line.length; cut++) {
    const torn = Buffer.concat([before, line.subarray(0, cut)]);
    writeFileSync(machine.path(LOG), torn);
    const a = await machine.start();
    assert.deepEqual(await visibleTexts(a), ['first']);
    assert.deepEqual(readFileSync(machine.path(LOG)), torn);
    await post(a, 'third');
    await a.store.close();
    const b = await machine.start();
    assert.deepEqual(await visibleTexts(b), ['first', 'third'], `cut at ${cut}`);
    assert.deepEqual([...a.reports, ...b.reports], []);
    await b.store.close();
    assert.deepEqual(machine.segments(), [LOG]);
    const ended = Buffer.concat([torn, Buffer.from('#\n')]);
    assert.deepEqual(readFileSync(machine.path(LOG)).subarray(0, ended.length), ended);
  }
});

test('a running process skips a torn write too, and ends it', async (t) => {
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

test('a line appended after torn writes that its writer had not read never counts, and is stored by a second append', async (t) => {
  const machine = new Machine(t);
  const { line } = await withLine(machine);
  const stored = ['first', 'second'];
  for (const takes of [1, 6, 7, 100, line.length - 2, line.length - 1])
    for (const count of [1, 2, 3]) {
      const [a, b] = [await machine.start(), await machine.start()];
      await visibleTexts(a);
      const path = machine.path(machine.segments().at(-1)!);
      a.disk.interpose(
        'append',
        () => {
          for (let number = 0; number < count; number++) appendFileSync(path, line.subarray(0, takes));
        },
        /^log/,
      );
      await post(a, `behind ${count} of ${takes}`);
      await post(b, 'and on');
      stored.push(`behind ${count} of ${takes}`, 'and on');
      for (const reader of [a, b, await machine.start()])
        assert.deepEqual(await visibleTexts(reader), stored);
      await Promise.all([a, b].map(({ store }) => store.close()));
    }
});

test('a write in progress that a start took for a torn write is applied once it is complete', async (t) => {
  for (const half of [1, 50, -1]) {
    const machine = new Machine(t);
    const { before, line } = await withLine(machine);
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

test('a line that a killed process wrote whole counts, whether or not it was acknowledged', async (t) => {
  const machine = new Machine(t);
  const { before, line } = await withLine(machine);
  writeFileSync(machine.path(LOG), Buffer.concat([before, line]));
  const a = await machine.start();
  assert.deepEqual(await visibleTexts(a), ['first', 'second']);
  await post(a, 'third');
  assert.equal(machine.segments().length, 2);
  assert.deepEqual(await visibleTexts(await machine.start()), ['first', 'second', 'third']);
});

test('of a batch that was cut off, the lines that were written whole count', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  a.disk.shortNext(700, /^log/);
  const outcomes = await Promise.all(['1', '2', '3', '4', '5'].map((text) => writeOutcome(post(a, text))));
  const stored = ['1', '2', '3', '4', '5'].filter((_, index) => outcomes[index] === 'stored');
  for (const reader of [a, await machine.start()]) assert.deepEqual(await visibleTexts(reader), stored);
  assert.match(machine.files()[LOG]!, /[^\n]#\n/);
});
