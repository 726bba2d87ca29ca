import type { Tally } from '../scenario.ts';
import type { WriteRecorder } from './write-recorder.ts';
import { overMcp, overRest, type Reply } from './publish.ts';
import { healthOf } from './feed.ts';
import type { Server } from './server.ts';
import { waitUntil, secondsSince } from './time.ts';

const RECOVERY_SECONDS = 20;

const BATCH_SIZE = 20;

/**
 * Posts in concurrent batches, so that a batch may be written in part.
 * @returns the rejected posts of the last batch
 */
export async function postUntilRejected(
  recorder: WriteRecorder,
  { url }: Server,
  maxPosts: number,
): Promise<(Reply | undefined)[]> {
  for (let n = 0; n < maxPosts; n += BATCH_SIZE) {
    const writes = Array.from({ length: BATCH_SIZE }, (_, at) =>
      at % 2 === 0 ? overRest(url) : overMcp(url),
    );
    const replies = await Promise.all(writes.map((write) => recorder.send(write, recorder.newText(7000))));
    const rejected = replies.filter((reply) => reply?.post === undefined);
    if (rejected.length > 0) return rejected;
  }
  return [];
}

/** Expects that posts get storage_unavailable, reads succeed, and /healthz is 503. */
export async function expectWritesRejected(
  label: string,
  recorder: WriteRecorder,
  { url }: Server,
  tally: Tally,
): Promise<void> {
  for (const write of [overRest(url), overMcp(url), overRest(url)]) {
    const reply = await recorder.send(write, recorder.newText(7000));
    const outcome = reply === undefined ? 'without a response' : (reply.code ?? 'stored');
    tally.expect(outcome === 'storage_unavailable', `${label}: a post was ${outcome}`);
  }
  await recorder.audit(url, tally);
  const health = await healthOf(url);
  tally.expect(
    health.status === 503 && health.retryAfter > 0,
    `${label}: /healthz was ${health.status}, Retry-After ${health.retryAfter}`,
  );
}

/** Expects writes to succeed again without a restart. @returns the seconds until the first one did */
export async function expectRecovery(
  label: string,
  recorder: WriteRecorder,
  { url }: Server,
  tally: Tally,
): Promise<number> {
  const start = performance.now();
  const recovered = await waitUntil(
    RECOVERY_SECONDS,
    async () => (await recorder.send(overRest(url)))?.post !== undefined,
  );
  const seconds = secondsSince(start);
  tally.expect(recovered, `${label}: writes did not succeed again`);
  for (let n = 0; n < 10; n++) {
    const reply = await recorder.send(overMcp(url));
    tally.expect(
      reply?.post !== undefined,
      `${label}: a post was ${reply?.code ?? 'without a response'} after the recovery`,
    );
  }
  const health = await healthOf(url);
  tally.expect(health.status === 200, `${label}: /healthz was ${health.status} after the recovery`);
  await recorder.audit(url, tally);
  return seconds;
}
