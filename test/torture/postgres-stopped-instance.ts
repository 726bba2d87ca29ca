import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { Answers, endAll, RECOVERY_SECONDS } from './support/postgres-clients.ts';
import { Wire } from './support/fault-proxy.ts';
import { Database } from './support/database.ts';
import { comesTrue } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const WRITES = 30;
const MOST_SECONDS = 4;
const STOPPED_MS = 6000;
const PATIENCE_SECONDS = 60;

/** When it is stopped: at any time; at a commit, which passes while it sleeps; at a commit that is held up until it wakes. */
const MOMENTS = ['any', 'commit', 'held commit'] as const;

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  const database = await Database.begin(place);
  const wire = await Wire.open(place, database.url);
  const [[sleeper], others] = [await database.serve(1, wire.url), await database.serve(2)];
  const book = new Book(chance);
  const [woken, prompt] = [new Answers(tally), new Answers(tally)];
  const overSleeper = woken.overRest(sleeper!.url, undefined, PATIENCE_SECONDS);
  for (; tally.rounds < rounds; tally.rounds++) {
    const moment = MOMENTS[tally.rounds % MOMENTS.length]!;
    let wake = (): void => undefined;
    const isAwake = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const isStopped = new Promise<void>((resolve) => {
      const stop = (): void => {
        sleeper!.signal('SIGSTOP');
        resolve();
      };
      if (moment === 'any') setTimeout(stop, chance.below(200));
      else {
        wire.atCommit = () => {
          wire.atCommit = () => undefined;
          stop();
          return moment === 'commit' ? undefined : isAwake;
        };
      }
    });
    const texts = Array.from({ length: WRITES }, () => book.newText());
    const keyOf = (n: number): string => `of-sleeper-${tally.rounds}-${n}`;
    const first = texts.map((text, n) => book.send(overSleeper, text, keyOf(n)));
    await isStopped;
    const start = performance.now();
    const beside = await Promise.all(
      Array.from({ length: WRITES }, (_, n) =>
        book.send(prompt.overRest(others[n % others.length]!.url, undefined, MOST_SECONDS)),
      ),
    );
    tally.expect(
      beside.every((reply) => reply?.post !== undefined),
      'the others refused a post',
    );
    await sleep(Math.max(0, STOPPED_MS - (performance.now() - start)));
    sleeper!.signal('SIGCONT');
    wake();
    const replies = await Promise.all(first);
    // Before the retries, so that what was refused must not be there.
    for (const { url } of [sleeper!, ...others]) {
      tally.expect(
        await comesTrue(RECOVERY_SECONDS, async () => (await fetch(`${url}/healthz`)).status === 200),
        'an instance was not well afterwards',
      );
      await book.audit(url, tally);
    }
    const again = await Promise.all(
      texts.map((text, n) => book.send(prompt.overRest(others[0]!.url), text, keyOf(n))),
    );
    tally.expect(
      again.every((reply) => reply?.post !== undefined),
      'a retry was refused',
    );
    tally.expect(
      again.every((reply, n) => replies[n]?.post === undefined || replies[n].post.id === reply?.post?.id),
      'two ids for one key',
    );
    tally.expect(
      (await book.send(woken.overRest(sleeper!.url)))?.post !== undefined,
      'who was woken took no writes',
    );
    for (const { url } of [sleeper!, ...others]) await book.audit(url, tally);
    tell(`${tally.rounds + 1} of ${rounds}`);
  }
  await endAll([sleeper!, ...others], tally);
  const unknown = woken.count('storage_outcome_unknown');
  return tally.outcome(
    `${book.acknowledged} acknowledged; slowest write of the others ${prompt.slowest} s; who was woken told ${woken.count('201')} times 201, ` +
      `${woken.count('storage_unavailable') + unknown} times 503 (${unknown} unknown)`,
  );
}

export const postgresStoppedInstance: TorturePromise = {
  name: 'postgres-stopped-instance',
  does: 'SIGSTOP one of three instances over its writes, also exactly at its commit, go on with the others, SIGCONT',
  needs: ['signals'],
  rounds: 6,
  seconds: 40,
  run,
};
