import assert from 'node:assert/strict';
import test from 'node:test';
import { inSlices, SLICE_MS } from '#store/slice.ts';

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('the event loop does its other work between items that take a slice each, also of several calls', async () => {
  let isOver = false;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const items = Array.from({ length: 10 }, (_, index) => index);
  const visited = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const found: number[] = [];
      for await (const item of inSlices(items)) {
        work(SLICE_MS);
        found.push(item);
      }
      return found;
    }),
  );
  isOver = true;
  assert.deepEqual(visited, [items, items, items]);
  // All three begin in the same turn; from then on each turn does the work of one.
  assert.ok(turns >= 27, `${turns} turns`);
});
