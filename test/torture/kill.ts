import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder, LoadGenerator } from './support/write-recorder.ts';
import { eightWriters, overRest } from './support/publish.ts';
import { logOf } from './support/files.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const MAX_UPTIME_MS = 400;

/**
 * Tears the last line in every tenth round, since a kill seldom does.
 * @returns whether the log ends with a torn line
 */
function tearLastLine(folder: string, round: number): boolean {
  const log = readFileSync(logOf(folder));
  if (log.at(-1) !== 0x0a) return true;
  if (round % 10 !== 0) return false;
  const line = log.subarray(log.lastIndexOf(0x0a, -2) + 1);
  appendFileSync(logOf(folder), line.subarray(0, line.length / 2));
  return true;
}

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const folder = await sandbox.createFolder();
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const recorder = new WriteRecorder(random);
  let torn = 0;
  let victim = await sandbox.serve(settings);
  while (tally.rounds < rounds) {
    // Half of the rounds begin with a write right after the start.
    if (tally.rounds % 2 === 0) await recorder.send(overRest(victim.url));
    const load = new LoadGenerator(recorder, eightWriters(victim.url));
    await sleep(10 + random.below(MAX_UPTIME_MS));
    await victim.end('SIGKILL');
    await load.stop();
    tally.rounds += 1;
    const isTorn = tearLastLine(folder, tally.rounds);
    victim = await sandbox.serve(settings);
    if (isTorn) torn += 1;
    const full = tally.rounds % 50 === 0 || tally.rounds === rounds;
    await recorder.audit(victim.url, tally, full ? 'all' : 'news');
    if (tally.rounds % 20 === 0)
      log(`${tally.rounds} of ${rounds}, lost ${tally.lost} of ${recorder.acknowledged}`);
  }
  tally.expect((await victim.end('SIGTERM')) === 0, 'the last server did not stop cleanly');
  return tally.outcome(
    `${recorder.acknowledged} acknowledged, opened ${tally.rounds} of ${rounds} times, ${torn} torn lines skipped`,
  );
}

export const kill: Scenario = {
  name: 'kill',
  description: 'kill -9 at random moments under load from 8 writers over REST and MCP',
  requirements: ['signals'],
  rounds: 20,
  maxSecondsPerRound: 10,
  run,
};
