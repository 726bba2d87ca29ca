import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { overRest, type Reply } from './support/publish.ts';
import { logOf } from './support/files.ts';
import { missing } from './support/requirements.ts';
import { inject, ONE_THREAD } from './support/strace.ts';
import { secondsSince } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const MOST_SECONDS = 2;
const LIMIT = 24;
const WRITES = 30;

interface Worst {
  seconds: number;
}

/** One is stopped over its writes; the other is sent the same, with the same keys. Each is stored once. */
async function sameTwice({ place, chance, tally }: Options, worst: Worst): Promise<number> {
  const settings = { DATA_DIR: await place.folder(), FEED_POSTS_PER_HOUR: '0' };
  const [sleeper, other] = await Promise.all([place.serve(settings), place.serve(settings)]);
  const book = new Book(chance);
  const texts = Array.from({ length: WRITES }, () => book.newText());
  const first = texts.map((text, n) => book.send(overRest(sleeper.url), text, `stopped-key-${n}`));
  await sleep(chance.below(60));
  sleeper.signal('SIGSTOP');
  const second: (Reply | undefined)[] = [];
  for (const [n, text] of texts.entries()) {
    const start = performance.now();
    second.push(await book.send(overRest(other.url), text, `stopped-key-${n}`));
    worst.seconds = Math.max(worst.seconds, secondsSince(start));
  }
  sleeper.signal('SIGCONT');
  const answers = await Promise.all(first);
  tally.expect(
    answers.every((reply, n) => reply?.post !== undefined && reply.post.id === second[n]?.post?.id),
    'two ids for one key',
  );
  for (const { url } of [sleeper, other]) await book.audit(url, tally);
  await Promise.all([sleeper.end('SIGTERM'), other.end('SIGTERM')]);
  return book.acknowledged;
}

/**
 * One is stopped when it has decided that its posts are under the limit, and meanwhile the other uses up the limit.
 * With strace the moment is exactly before its write to the log.
 */
async function decidedAnew({ place, chance, tally }: Options, exact: boolean): Promise<void> {
  const folder = await place.folder();
  const settings = { ...ONE_THREAD, DATA_DIR: folder };
  const [sleeper, other] = await Promise.all([place.serve(settings), place.serve(settings)]);
  const book = new Book(chance);
  await book.send(overRest(sleeper.url));
  const detach = exact
    ? await inject(place, sleeper.pid, ['write:delay_enter=2000000:when=1'], [logOf(folder)])
    : undefined;
  const late = Array.from({ length: 5 }, () => book.send(overRest(sleeper.url)));
  await sleep(exact ? 500 : chance.below(15));
  if (!exact) sleeper.signal('SIGSTOP');
  const prompt = await Promise.all(Array.from({ length: LIMIT }, () => book.send(overRest(other.url))));
  if (!exact) sleeper.signal('SIGCONT');
  const replies = [...(await Promise.all(late)), ...prompt];
  await detach?.();
  tally.expect(book.acknowledged === LIMIT, `${book.acknowledged} posts were let in instead of ${LIMIT}`);
  tally.expect(
    replies.every((reply) => reply?.post !== undefined || reply?.code === 'rate_limited'),
    'a refusal was not rate_limited',
  );
  if (exact)
    tally.expect(
      prompt.filter((reply) => reply?.post !== undefined).length === LIMIT - 1,
      'a write stood that was decided on an old state',
    );
  for (const { url } of [sleeper, other]) await book.audit(url, tally);
  await Promise.all([sleeper.end('SIGTERM'), other.end('SIGTERM')]);
}

async function run(options: Options): Promise<Outcome> {
  const { tally, rounds } = options;
  const exact = missing('attaching') === undefined;
  const worst = { seconds: 0 };
  let acknowledged = 0;
  while (tally.rounds < rounds) {
    acknowledged += await sameTwice(options, worst);
    await decidedAnew(options, exact && tally.rounds % 2 === 0);
    tally.rounds += 1;
  }
  tally.expect(worst.seconds < MOST_SECONDS, 'the other one waited');
  const how = exact
    ? 'also stopped exactly before its write (strace)'
    : 'without strace at random moments only';
  return tally.outcome(`${acknowledged} acknowledged; slowest write of the other ${worst.seconds} s; ${how}`);
}

export const stopped: TorturePromise = {
  name: 'stopped',
  does: 'SIGSTOP one of two servers over its writes, go on with the other, SIGCONT',
  needs: ['signals'],
  rounds: 4,
  seconds: 60,
  run,
};
