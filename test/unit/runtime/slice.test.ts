import assert from 'node:assert/strict';
import test from 'node:test';
import { nextSlice } from '#runtime/slice.ts';

test('calls that pause take turns, one a turn of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const visited: string[] = [];
  const walk = async (call: string): Promise<void> => {
    for (let slice = 0; slice < 4; slice++) {
      visited.push(`${call}${slice}`);
      await nextSlice();
    }
  };
  await Promise.all(['a', 'b', 'c'].map(walk));
  isOver = true;
  assert.deepEqual(
    visited,
    [0, 1, 2, 3].flatMap((slice) => ['a', 'b', 'c'].map((call) => `${call}${slice}`)),
  );
  assert.ok(turns >= visited.length - 1, `${turns} turns`);
});
