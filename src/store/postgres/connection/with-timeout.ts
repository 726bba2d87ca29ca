import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '#store/store.ts';
import { OPTIONAL_READ_TIMEOUT_MS } from './timeouts.ts';

/** @throws StoreFailure after `OPTIONAL_READ_TIMEOUT_MS`; the result is then ignored */
export async function withTimeout<Result>(result: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const timeout = sleep(OPTIONAL_READ_TIMEOUT_MS, undefined, { signal: timer.signal }).then(
    () => {
      throw new StoreFailure('nothing', 'the database is slow');
    },
    // The timer was aborted, because the result is there.
    () => result,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    timer.abort();
  }
}
