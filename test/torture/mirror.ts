import { Database } from './support/database.ts';
import { runMirrors } from './support/mirror-run.ts';
import { measureMirrorDelays } from './support/mirror-delays.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const POSTS_FOR_LAG = 400;
const MAX_LAG_MS = 3000;
const MAX_ERASE_MS = 5000;

const toSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const database = await Database.create(sandbox);
  const { faults, records, erased } = await runMirrors({
    random,
    originFolder: await sandbox.createFolder(),
    mirrors: [{ DATA_DIR: await sandbox.createFolder() }, { DATABASE_URL: database.url }],
    cuts: rounds,
    maxUptimeMs: 2500,
    maxPauseMs: 200,
    log,
  });
  tally.rounds += rounds;
  for (const fault of faults) tally.expect(false, fault);
  const others = [
    { DATA_DIR: await sandbox.createFolder() },
    { DATABASE_URL: (await Database.create(sandbox)).url },
  ];
  const { lag, erase, eraseAfterSleep } = await measureMirrorDelays(
    await sandbox.createFolder(),
    others,
    POSTS_FOR_LAG,
  );
  tally.expect(lag <= MAX_LAG_MS, `a post at 20 a second is ${Math.round(lag)} ms late`);
  tally.expect(erase <= MAX_ERASE_MS, `a running mirror erases after ${Math.round(erase)} ms`);
  tally.expect(
    eraseAfterSleep <= MAX_ERASE_MS,
    `a mirror that slept erases after ${Math.round(eraseAfterSleep)} ms`,
  );
  return tally.outcome(
    `${records} records, ${erased} of them erased; at 20 posts a second at most ${toSeconds(lag)} s behind; an ` +
      `erase reaches a running mirror in ${toSeconds(erase)} s, and one that slept ${toSeconds(eraseAfterSleep)} s ` +
      'after its start',
  );
}

export const mirror: Scenario = {
  name: 'mirror',
  description:
    'two mirrors (folder, PostgreSQL) are killed at random while three writers fill their origin, and equal it in the end',
  requirements: ['signals'],
  rounds: 500,
  maxSecondsPerRound: 10,
  run,
};
