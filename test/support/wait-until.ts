import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TIMEOUTS, type Timeouts } from '#store/postgres/connection/connect.ts';

const INTERVAL_MS = 10;
const MAX_WAIT_MS = 15_000;

/**
 * Twenty times the usual limits, for a test that is not about time: on a busy machine the usual ones run out.
 */
export const PATIENT_TIMEOUTS: Partial<Timeouts> = {
  connectMs: 20 * TIMEOUTS.connectMs,
  lockMs: 20 * TIMEOUTS.lockMs,
  statementMs: 20 * TIMEOUTS.statementMs,
  optionalReadMs: 20 * TIMEOUTS.optionalReadMs,
  callMs: 20 * TIMEOUTS.callMs,
};

/** Waits until a condition is true. @throws AssertionError after `MAX_WAIT_MS` */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < end, `not true after ${MAX_WAIT_MS} ms: ${condition.toString()}`);
    await sleep(INTERVAL_MS);
  }
}

/**
 * Waits until a socket is closed. `once` rejects after a reset, which Node 24 reports more often than Node
 * 20.
 */
export async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  await new Promise<void>((resolve) => {
    socket
      .on('error', () => undefined)
      .once('close', () => {
        resolve();
      });
  });
}
