import type { TestContext } from 'node:test';

/** Counts the turns of the event loop until the test ends. @returns how many have passed */
export function countTurns(t: Pick<TestContext, 'after'>): () => number {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  t.after(() => {
    isOver = true;
  });
  return () => turns;
}
