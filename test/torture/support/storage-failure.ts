import type { Tally } from '../scenario.ts';
import type { Book } from './write-recorder.ts';
import { overMcp, overRest, type Reply } from './publish.ts';
import { healthOf } from './feed.ts';
import type { Server } from './server.ts';
import { comesTrue, secondsSince } from './time.ts';

const RECOVERY_SECONDS = 20;

const AT_ONCE = 20;

/** Many at once share a write, of which the disk may take a part. @returns the refusals that came in the end */
export async function postUntilRefused(
  book: Book,
  { url }: Server,
  most: number,
): Promise<(Reply | undefined)[]> {
  for (let n = 0; n < most; n += AT_ONCE) {
    const writes = Array.from({ length: AT_ONCE }, (_, at) => (at % 2 === 0 ? overRest(url) : overMcp(url)));
    const replies = await Promise.all(writes.map((write) => book.send(write, book.newText(7000))));
    const refusals = replies.filter((reply) => reply?.post === undefined);
    if (refusals.length > 0) return refusals;
  }
  return [];
}

/** While writes cannot be made: they are refused as they should be, reads go on, and the health check tells. */
export async function expectTrouble(what: string, book: Book, { url }: Server, tally: Tally): Promise<void> {
  for (const write of [overRest(url), overMcp(url), overRest(url)]) {
    const reply = await book.send(write, book.newText(7000));
    const told = reply === undefined ? 'not answered' : (reply.code ?? 'taken');
    tally.expect(told === 'storage_unavailable', `${what}: a post was ${told}`);
  }
  await book.audit(url, tally);
  const health = await healthOf(url);
  tally.expect(
    health.status === 503 && health.retryAfter > 0,
    `${what}: /healthz said ${health.status}, Retry-After ${health.retryAfter}`,
  );
}

/** The cause is gone: writes work again by themselves. @returns how long that took, in seconds */
export async function expectRecovery(
  what: string,
  book: Book,
  { url }: Server,
  tally: Tally,
): Promise<number> {
  const start = performance.now();
  const recovered = await comesTrue(
    RECOVERY_SECONDS,
    async () => (await book.send(overRest(url)))?.post !== undefined,
  );
  const seconds = secondsSince(start);
  tally.expect(recovered, `${what}: it took no writes again`);
  for (let n = 0; n < 10; n++) {
    const reply = await book.send(overMcp(url));
    tally.expect(
      reply?.post !== undefined,
      `${what}: a post was ${reply?.code ?? 'not answered'} after the recovery`,
    );
  }
  const health = await healthOf(url);
  tally.expect(health.status === 200, `${what}: /healthz said ${health.status} after the recovery`);
  await book.audit(url, tally);
  return seconds;
}
