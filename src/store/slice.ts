import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a call works without a pause. */
export const SLICE_MS = 10;

let lastTurn: Promise<unknown> = Promise.resolve();

/** @returns a function that says whether a slice that begins now has ended */
export function startSlice(): () => boolean {
  const end = performance.now() + SLICE_MS;
  return () => performance.now() >= end;
}

/**
 * Lets the event loop do its other work. Where many calls wait each turn of the loop resumes one of them, in the order in
 * which they began to wait.
 */
export async function nextSlice(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  await lastTurn;
}

let lastWalk: Promise<unknown> = Promise.resolve();

/**
 * Yields the items one by one; the event loop does its other work after each slice of what the caller does with them. One
 * call walks at a time, so that what many of them make of their items does not add up in memory: between two items the
 * caller must await nothing else.
 */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  const earlier = lastWalk;
  let finish: () => void = () => undefined;
  lastWalk = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await earlier;
  try {
    let isSliceOver = startSlice();
    for (const item of items) {
      if (isSliceOver()) {
        await nextSlice();
        isSliceOver = startSlice();
      }
      yield item;
    }
  } finally {
    finish();
  }
}
