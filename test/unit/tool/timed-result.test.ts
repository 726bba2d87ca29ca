import assert from 'node:assert/strict';
import test from 'node:test';
import { TimedResult } from '#tool/result-cache.ts';

function setUp() {
  let now = 1000;
  let count = 0;
  const timed = new TimedResult(
    () => now,
    100,
    async () => {
      const number = ++count;
      await Promise.resolve();
      if (number === 1) throw new Error('zebra');
      return { input: {}, output: {}, text: `${number}` };
    },
  );
  return { read: async () => (await timed.read()).text, timed, set: (time: number) => (now = time) };
}

test('a result is held until its age is the maximum, or the clock is set back, and a failure is not held', async () => {
  const { read, timed, set } = setUp();
  await assert.rejects(read(), /zebra/);
  assert.equal(await read(), '2');
  set(1099);
  assert.ok(!(timed.read() instanceof Promise));
  assert.equal(await read(), '2');
  set(1100);
  assert.equal(await read(), '3');
  set(1099);
  assert.equal(await read(), '4');
});

test('reads at the same time share one run', async () => {
  const { read } = setUp();
  await assert.rejects(read());
  assert.deepEqual(await Promise.all([read(), read(), read()]), ['2', '2', '2']);
});
