import { setTimeout as sleep } from 'node:timers/promises';

/** @throws where the job is not done by then; it may go on, unheard */
export async function within<Result>(seconds: number, what: string, job: Promise<Result>): Promise<Result> {
  const clock = new AbortController();
  const late = sleep(seconds * 1000, undefined, { signal: clock.signal }).then(() => {
    throw new Error(`${what} took longer than ${seconds} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([job, late]);
  } finally {
    clock.abort();
  }
}

/** Asks every tenth of a second. @returns whether it came true in time */
export async function comesTrue(seconds: number, ask: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    if (await ask().catch(() => false)) return true;
    await sleep(100);
  }
  return false;
}

/** @returns seconds, to three digits */
export const secondsSince = (start: number): number => Math.round(performance.now() - start) / 1000;
