import { setTimeout as sleep } from 'node:timers/promises';

/** @throws Error if the promise is not settled in time; the operation itself is not cancelled */
export async function withTimeout<Result>(
  seconds: number,
  operation: string,
  promise: Promise<Result>,
): Promise<Result> {
  const timer = new AbortController();
  const timeout = sleep(seconds * 1000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${operation} took longer than ${seconds} s`);
  });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timer.abort();
  }
}

/** Polls every 100 ms. @returns whether the condition became true in time */
export async function waitUntil(seconds: number, condition: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    if (await condition().catch(() => false)) return true;
    await sleep(100);
  }
  return false;
}

/** @returns seconds, rounded to milliseconds */
export const secondsSince = (start: number): number => Math.round(performance.now() - start) / 1000;
