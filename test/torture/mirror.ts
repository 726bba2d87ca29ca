import { Database } from './support/database.ts';
import { runMirrors } from './support/mirror-run.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

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
  return tally.outcome(`${records} records, ${erased} of them erased`);
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
