import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { overMcp, overRest } from './support/publish.ts';
import { logOf } from './support/files.ts';
import { injectFaults, SINGLE_THREAD } from './support/strace.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

/** Longer than a response takes. */
const DELAY_MS = 4000;

/** Delays a system call of two posts with strace, and expects no response before it has completed. */
async function expectNoResponseBefore(
  call: 'write' | 'fdatasync',
  { sandbox, random, tally }: ScenarioOptions,
): Promise<void> {
  const [settings, recorder] = [
    { ...SINGLE_THREAD, DATA_DIR: await sandbox.createFolder(), FEED_POSTS_PER_HOUR: '0' },
    new WriteRecorder(random),
  ];
  const server = await sandbox.serve(settings);
  for (let n = 0; n < 5; n++) await recorder.send(overRest(server.url));
  await injectFaults(
    sandbox,
    server.pid,
    [`${call}:delay_enter=${DELAY_MS * 1000}`],
    [logOf(settings.DATA_DIR)],
  );
  const pending = [overRest(server.url), overMcp(server.url)].map((write) => recorder.send(write));
  const early = await Promise.race([...pending, sleep(DELAY_MS / 2)]);
  tally.expect(early === undefined, `a post was acknowledged before its ${call}`);
  await server.end('SIGKILL');
  await Promise.all(pending);
  const survivor = await sandbox.serve(settings);
  await recorder.audit(survivor.url, tally);
  await survivor.end('SIGKILL');
  tally.rounds += 1;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  for (const call of ['write', 'fdatasync'] as const) await expectNoResponseBefore(call, options);
  return options.tally.outcome(`held back for ${DELAY_MS / 2000} s and killed: no response was sent`);
}

export const acknowledge: Scenario = {
  name: 'acknowledge',
  description:
    'the write of a post, then its sync, is delayed: no response is sent before it has completed (strace)',
  requirements: ['strace', 'attaching'],
  rounds: 2,
  maxSecondsPerRound: 60,
  run,
};
