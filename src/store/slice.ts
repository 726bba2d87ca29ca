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

/** Yields the items one by one. The event loop does its other work after each slice of what the caller does with them. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let isSliceOver = startSlice();
  for (const item of items) {
    if (isSliceOver()) {
      await nextSlice();
      isSliceOver = startSlice();
    }
    yield item;
  }
}
