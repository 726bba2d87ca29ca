import assert from 'node:assert/strict';
import test from 'node:test';
import { nextSlice, startSlice, visitInSlices } from '#runtime/slice.ts';
import { countTurns } from '../../support/turns.ts';

test('calls that pause take turns, one a turn of the event loop', async (t) => {
  const turns = countTurns(t);
  const visited: string[] = [];
  const walk = async (call: string): Promise<void> => {
    for (let slice = 0; slice < 4; slice++) {
      visited.push(`${call}${slice}`);
      await nextSlice();
    }
  };
  await Promise.all(['a', 'b', 'c'].map(walk));
  const passed = turns();
  const inTurn = [0, 1, 2, 3].flatMap((slice) => ['a', 'b', 'c'].map((call) => `${call}${slice}`));
  assert.deepEqual(visited, inTurn);
  assert.ok(passed >= visited.length - 1, `${passed} turns`);
});

test('items that take longer than a slice are visited in turns of the event loop', async () => {
  let turns = 0;
  const seen: [item: string, turn: boolean][] = [];
  await visitInSlices(['a', 'b', 'c'], (item) => {
    const before = turns;
    setImmediate(() => (turns += 1));
    seen.push([item, before === seen.length]);
    for (const end = performance.now() + 11; performance.now() < end; );
  });
  assert.deepEqual(seen, [
    ['a', true],
    ['b', true],
    ['c', true],
  ]);
});

test('a loop pauses before an item if its slice is over, and not after the last one', async (t) => {
  await nextSlice();
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let hasTurned = false;
  setImmediate(() => (hasTurned = true));
  const use = (): void => void (now += 100);
  await visitInSlices(['a'], use);
  assert.equal(hasTurned, false);
  await visitInSlices([], use);
  assert.equal(hasTurned, false);
  await visitInSlices(['b'], use);
  assert.equal(hasTurned, true);
});

test('loops that follow one another in a turn of the event loop share its slice', async () => {
  let turns = 0;
  const turnOf = new Map<string, number>();
  const visit = (item: string): void => {
    turnOf.set(item, turns);
    setImmediate(() => (turns += 1));
    for (const end = performance.now() + 4; performance.now() < end; );
  };
  for (const item of ['a', 'b', 'c']) await visitInSlices([item], visit);
  assert.ok(turnOf.get('c')! > turnOf.get('a')!, JSON.stringify([...turnOf]));
});

test('a call that pauses goes on with a whole slice, whatever other calls have used of its turn', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let isOver = false;
  const useTurn = (): void => {
    startSlice();
    now += 100;
    if (!isOver) setImmediate(useTurn);
  };
  setImmediate(useTurn);
  await nextSlice();
  isOver = true;
  assert.equal(startSlice()(), false);
  now += 100;
  assert.equal(startSlice()(), true);
});
