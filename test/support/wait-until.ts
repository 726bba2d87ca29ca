import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 10;
const MAX_WAIT_MS = 15_000;

/** Waits until a condition is true. @throws AssertionError after `MAX_WAIT_MS` */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < end, `not true after ${MAX_WAIT_MS} ms: ${condition.toString()}`);
    await sleep(INTERVAL_MS);
  }
}
