import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';
import { overRest, type Publish } from './support/publish.ts';
import type { Server } from './support/server.ts';
import { LoadGenerator, WriteRecorder } from './support/write-recorder.ts';

const WRITERS = 4;
const ROUND_MS = 5000;
const MAX_WAIT_MS = 5500;
/** As `ProcSubset=pid` of systemd: a process cannot read the boot id. */
const HIDDEN = 'mount -t tmpfs none /proc/sys; exec "$@"';
const WRAPPER = ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec', HIDDEN, 'sh'];

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const settings = { DATA_DIR: await sandbox.createFolder(), FEED_POSTS_PER_HOUR: '0' };
  const start = (index: number): Promise<Server> =>
    sandbox.serve(settings, { wrapper: index === 0 ? WRAPPER : [] });
  const servers = [await start(0), await start(1)];
  const recorder = new WriteRecorder(random);
  const waits = { beside: 0, afterKill: 0 };
  const posts = [0, 0];
  for (; tally.rounds < rounds; tally.rounds++) {
    let phase: keyof typeof waits = 'beside';
    const loads = servers.map(({ url }, index) => {
      const publish = overRest(url);
      const timed: Publish = async (message, key) => {
        const from = performance.now();
        const reply = await publish(message, key);
        waits[phase] = Math.max(waits[phase], performance.now() - from);
        posts[index]! += Number(reply.post !== undefined);
        return reply;
      };
      return new LoadGenerator(recorder, Array<Publish>(WRITERS).fill(timed));
    });
    await sleep(ROUND_MS);
    // The other one waits for the lock of a process that it cannot tell from one of an earlier boot.
    const victim = tally.rounds % 2;
    phase = 'afterKill';
    await servers[victim]!.end('SIGKILL');
    await sleep(ROUND_MS);
    await Promise.all(loads.map((load) => load.stop()));
    servers[victim] = await start(victim);
    log(`${tally.rounds + 1} of ${rounds}: ${posts.join(' and ')} posts`);
  }
  for (const { url } of servers) await recorder.audit(url, tally);
  for (const server of servers)
    tally.expect((await server.end('SIGTERM')) === 0, 'a server did not stop cleanly');
  const [beside, afterKill] = [Math.ceil(waits.beside), Math.ceil(waits.afterKill)];
  tally.expect(Math.min(...posts) > 0, `a server stored ${Math.min(...posts)} posts`);
  tally.expectFast(afterKill <= MAX_WAIT_MS, `a post waited for ${afterKill} ms after a kill`);
  return tally.outcome(
    `${posts.join(' posts with a hidden boot id and ')} beside it; longest wait ${beside} ms, ` +
      `${afterKill} ms after a kill of the other`,
  );
}

export const hiddenBoot: Scenario = {
  name: 'hidden-boot',
  description:
    'two servers on one folder of which one cannot read the boot id (root); each is killed in turn under load',
  requirements: ['signals', 'root', 'procfs'],
  rounds: 6,
  maxSecondsPerRound: 60,
  run,
};
