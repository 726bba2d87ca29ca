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
