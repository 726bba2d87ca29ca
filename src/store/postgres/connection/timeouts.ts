import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '#store/port/store.ts';

/**
 * In milliseconds. A caller gets every failure within five seconds, so the steps of one attempt take less. If
 * an instance stops in the middle of a write, the others can write again before they give up.
 */
export interface Timeouts {
  readonly connectMs: number;
  /** How long a transaction may lock the row of `clock` without sending a statement. */
  readonly idleTransactionMs: number;
  /** How long a write waits for those of other instances. */
  readonly lockMs: number;
  readonly statementMs: number;
  /** Of optional data, such as rate-limit headers: after this time the response is sent without it. */
  readonly optionalReadMs: number;
  /** How long a caller waits for a read or a write, retries included. */
  readonly callMs: number;
  /** How long the start waits for a notification that it sends to itself. */
  readonly notificationMs: number;
  /** How often the connection for notifications is tested while it is idle. */
  readonly pingMs: number;
  /** How long `close` waits for the end of a connection. */
  readonly closeMs: number;
}

export const TIMEOUTS: Timeouts = {
  connectMs: 1500,
  idleTransactionMs: 1500,
  lockMs: 2500,
  statementMs: 3000,
  optionalReadMs: 1000,
  callMs: 4000,
  notificationMs: 2000,
  pingMs: 15_000,
  closeMs: 1000,
};

/** @throws StoreFailure after `timeoutMs`; the result is then ignored */
export async function withTimeout<Result>(result: Promise<Result>, timeoutMs: number): Promise<Result> {
  const timer = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).then(
    () => {
      throw new StoreFailure('nothing', 'the database is slow');
    },
    // The timer was aborted, because the result has arrived.
    () => result,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    timer.abort();
  }
}
