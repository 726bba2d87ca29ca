import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { overRest, type Reply } from './support/publish.ts';
import { logOf } from './support/files.ts';
import { missingRequirement } from './support/requirements.ts';
import { injectFaults, SINGLE_THREAD } from './support/strace.ts';
import { secondsSince } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const MAX_SECONDS = 2;
const LIMIT = 24;
const WRITES = 30;

interface SlowestWrite {
  seconds: number;
}

/**
 * Stops one server during its writes, and sends the same writes with the same keys to the other: each is
 * stored once.
 */
async function checkRetriesOnOther(
  { sandbox, random, tally }: ScenarioOptions,
  slowest: SlowestWrite,
): Promise<number> {
  const settings = { DATA_DIR: await sandbox.createFolder(), FEED_POSTS_PER_HOUR: '0' };
  const [stoppedServer, other] = await Promise.all([sandbox.serve(settings), sandbox.serve(settings)]);
  const recorder = new WriteRecorder(random);
  const texts = Array.from({ length: WRITES }, () => recorder.newText());
  const first = texts.map((text, n) => recorder.send(overRest(stoppedServer.url), text, `stopped-key-${n}`));
  await sleep(random.below(60));
  stoppedServer.signal('SIGSTOP');
  const second: (Reply | undefined)[] = [];
  for (const [n, text] of texts.entries()) {
    const start = performance.now();
    second.push(await recorder.send(overRest(other.url), text, `stopped-key-${n}`));
    slowest.seconds = Math.max(slowest.seconds, secondsSince(start));
  }
  stoppedServer.signal('SIGCONT');
  const replies = await Promise.all(first);
  tally.expect(
    replies.every((reply, n) => reply?.post !== undefined && reply.post.id === second[n]?.post?.id),
    'two ids for one key',
  );
  for (const { url } of [stoppedServer, other]) await recorder.audit(url, tally);
  await Promise.all([stoppedServer.end('SIGTERM'), other.end('SIGTERM')]);
  return recorder.acknowledged;
}

/**
 * Stops one server after it has accepted posts under the limit, and uses up the limit on the other. The first
 * has to decide again. With strace it stops exactly before its write to the log.
 */
async function checkLimitDecidedAgain(
  { sandbox, random, tally }: ScenarioOptions,
  withStrace: boolean,
): Promise<void> {
  const folder = await sandbox.createFolder();
  const settings = { ...SINGLE_THREAD, DATA_DIR: folder };
  const [stoppedServer, other] = await Promise.all([sandbox.serve(settings), sandbox.serve(settings)]);
  const recorder = new WriteRecorder(random);
  await recorder.send(overRest(stoppedServer.url));
  const detach = withStrace
    ? await injectFaults(sandbox, stoppedServer.pid, ['write:delay_enter=2000000:when=1'], [logOf(folder)])
    : undefined;
  const late = Array.from({ length: 5 }, () => recorder.send(overRest(stoppedServer.url)));
  await sleep(withStrace ? 500 : random.below(15));
  if (!withStrace) stoppedServer.signal('SIGSTOP');
  const prompt = await Promise.all(Array.from({ length: LIMIT }, () => recorder.send(overRest(other.url))));
  if (!withStrace) stoppedServer.signal('SIGCONT');
  const replies = [...(await Promise.all(late)), ...prompt];
  await detach?.();
  tally.expect(
    recorder.acknowledged === LIMIT,
    `${recorder.acknowledged} posts were accepted instead of ${LIMIT}`,
  );
  tally.expect(
    replies.every((reply) => reply?.post !== undefined || reply?.code === 'rate_limited'),
    'a rejection was not rate_limited',
  );
  if (withStrace)
    tally.expect(
      prompt.filter((reply) => reply?.post !== undefined).length === LIMIT - 1,
      'a write that was decided on an old state was stored',
    );
  for (const { url } of [stoppedServer, other]) await recorder.audit(url, tally);
  await Promise.all([stoppedServer.end('SIGTERM'), other.end('SIGTERM')]);
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { tally, rounds } = options;
  const withStrace = missingRequirement('attaching') === undefined;
  const slowest = { seconds: 0 };
  let acknowledged = 0;
  while (tally.rounds < rounds) {
    acknowledged += await checkRetriesOnOther(options, slowest);
    await checkLimitDecidedAgain(options, withStrace && tally.rounds % 2 === 0);
    tally.rounds += 1;
  }
  tally.expect(slowest.seconds < MAX_SECONDS, 'the other server waited');
  const how = withStrace
    ? 'also stopped exactly before its write (strace)'
    : 'without strace at random moments only';
  return tally.outcome(
    `${acknowledged} acknowledged; slowest write of the other ${slowest.seconds} s; ${how}`,
  );
}

export const stopped: Scenario = {
  name: 'stopped',
  description: 'SIGSTOP one of two servers during its writes, write to the other, SIGCONT',
  requirements: ['signals'],
  rounds: 4,
  maxSecondsPerRound: 60,
  run,
};
