import assert from 'node:assert/strict';
import test from 'node:test';
import { inSlices, SLICE_MS } from '#store/slice.ts';

const ITEMS = [0, 1, 2, 3, 4];

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('the event loop does its other work between items that take a slice each, and calls go one after the other', async () => {
  let isOver = false;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const visited: string[] = [];
  const walk = async (call: string): Promise<void> => {
    for await (const item of inSlices(ITEMS)) {
      work(SLICE_MS);
      visited.push(`${call}${item}`);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(walk));
  isOver = true;
  assert.deepEqual(
    visited,
    ['a', 'b', 'c'].flatMap((call) => ITEMS.map((item) => `${call}${item}`)),
  );
  assert.ok(turns >= 3 * (ITEMS.length - 1), `${turns} turns`);
});

test('a call that ends early, or fails, lets the next one begin', async () => {
  for await (const item of inSlices(ITEMS)) if (item === 1) break;
  await assert.rejects(async () => {
    for await (const item of inSlices(ITEMS)) throw new Error(`item ${item}`);
  }, /item 0/);
  const visited: number[] = [];
  for await (const item of inSlices(ITEMS)) visited.push(item);
  assert.deepEqual(visited, ITEMS);
});
