import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '#store/port/store.ts';

/** @throws StoreFailure after `timeoutMs`; the result is then ignored */
export async function withTimeout<Result>(result: Promise<Result>, timeoutMs: number): Promise<Result> {
  const timer = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).then(
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
