import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { ResponseStats, stopAll, RECOVERY_SECONDS } from './support/postgres-clients.ts';
import { FaultProxy } from './support/fault-proxy.ts';
import { Database } from './support/database.ts';
import { waitUntil } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const WRITES = 30;
const MAX_SECONDS = 4;
const STOPPED_MS = 6000;
const TIMEOUT_SECONDS = 60;

/**
 * When SIGSTOP is sent: at any time; at a commit, which is forwarded; at a commit that is held until SIGCONT.
 */
const STOP_MOMENTS = ['any', 'commit', 'held commit'] as const;

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const proxy = await FaultProxy.open(sandbox, database.url);
  const [[stopped], others] = [await database.serveInstances(1, proxy.url), await database.serveInstances(2)];
  const recorder = new WriteRecorder(random);
  const [stoppedStats, otherStats] = [new ResponseStats(tally), new ResponseStats(tally)];
  const postToStopped = stoppedStats.overRest(stopped!.url, undefined, TIMEOUT_SECONDS);
  for (; tally.rounds < rounds; tally.rounds++) {
    const moment = STOP_MOMENTS[tally.rounds % STOP_MOMENTS.length]!;
    let resume = (): void => undefined;
    const isResumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const isStopped = new Promise<void>((resolve) => {
      const stop = (): void => {
        stopped!.signal('SIGSTOP');
        resolve();
      };
      if (moment === 'any') setTimeout(stop, random.below(200));
      else {
        proxy.atCommit = () => {
          proxy.atCommit = () => undefined;
          stop();
          return moment === 'commit' ? undefined : isResumed;
        };
      }
    });
    const texts = Array.from({ length: WRITES }, () => recorder.newText());
    const keyOf = (n: number): string => `stopped-${tally.rounds}-${n}`;
    const first = texts.map((text, n) => recorder.send(postToStopped, text, keyOf(n)));
    await isStopped;
    const start = performance.now();
    const otherReplies = await Promise.all(
      Array.from({ length: WRITES }, (_, n) =>
        recorder.send(otherStats.overRest(others[n % others.length]!.url, undefined, MAX_SECONDS)),
      ),
    );
    tally.expect(
      otherReplies.every((reply) => reply?.post !== undefined),
      'another instance rejected a post',
    );
    await sleep(Math.max(0, STOPPED_MS - (performance.now() - start)));
    stopped!.signal('SIGCONT');
    resume();
    const replies = await Promise.all(first);
    // Audited before the retries, so that rejected posts must not be in the feed.
    for (const { url } of [stopped!, ...others]) {
      tally.expect(
        await waitUntil(RECOVERY_SECONDS, async () => (await fetch(`${url}/healthz`)).status === 200),
        'an instance was not healthy afterwards',
      );
      await recorder.audit(url, tally);
    }
    const retries = await Promise.all(
      texts.map((text, n) => recorder.send(otherStats.overRest(others[0]!.url), text, keyOf(n))),
    );
    tally.expect(
      retries.every((reply) => reply?.post !== undefined),
      'a retry was rejected',
    );
    tally.expect(
      retries.every((reply, n) => replies[n]?.post === undefined || replies[n].post.id === reply?.post?.id),
      'two ids for one key',
    );
    tally.expect(
      (await recorder.send(stoppedStats.overRest(stopped!.url)))?.post !== undefined,
      'the resumed instance stored no write',
    );
    for (const { url } of [stopped!, ...others]) await recorder.audit(url, tally);
    log(`${tally.rounds + 1} of ${rounds}`);
  }
  await stopAll([stopped!, ...others], tally);
  const unknown = stoppedStats.count('storage_outcome_unknown');
  return tally.outcome(
    `${recorder.acknowledged} acknowledged; slowest write of the others ${otherStats.slowest} s; the resumed instance sent ${stoppedStats.count('201')} times 201, ` +
      `${stoppedStats.count('storage_unavailable') + unknown} times 503 (${unknown} unknown)`,
  );
}

export const postgresStoppedInstance: Scenario = {
  name: 'postgres-stopped-instance',
  description:
    'SIGSTOP one of three instances during its writes, also exactly at its commit, write to the others, SIGCONT',
  requirements: ['signals'],
  rounds: 6,
  maxSecondsPerRound: 40,
  run,
};
