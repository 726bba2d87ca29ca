import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure } from '#store/store.ts';
import { AT_ONCE_MS } from './timeouts.ts';

/** @throws StoreFailure where the answer does not come at once; nobody waits for it then */
export async function atOnce<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = new AbortController();
  const timeout = sleep(AT_ONCE_MS, undefined, { signal: late.signal }).then(
    () => {
      throw new StoreFailure('nothing', 'the database is slow');
    },
    // In time.
    () => answer,
  );
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    late.abort();
  }
}
