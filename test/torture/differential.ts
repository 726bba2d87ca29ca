import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { runDifferential } from '../support/store/differential/run-differential.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';
import { Database } from './support/database.ts';

const OPERATIONS = 2000;
const SHORT_OPERATIONS = 300;
const CHECKPOINTS = 4;
const MAX_SEED = 1_000_000;

async function run({ rounds, isShort, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const operations = isShort ? SHORT_OPERATIONS : OPERATIONS;
  const { url } = await Database.create(sandbox);
  for (; tally.rounds < rounds; tally.rounds++) {
    const seed = random.below(MAX_SEED);
    log(`seed ${seed}`);
    try {
      await runDifferential({
        seed,
        operations,
        checkpoints: CHECKPOINTS,
        openPostgres: (clock) =>
          openPostgresStore({ url, schema: `differential_${tally.rounds}`, clock, report: () => undefined }),
      });
    } catch (error) {
      tally.expect(false, error instanceof Error ? error.message : String(error));
    }
  }
  return tally.outcome(`${rounds} seeds with ${operations} operations each`);
}

export const differential: Scenario = {
  name: 'differential',
  description:
    'random calls, moderations and imports, after which every way to read a store gives the same answers',
  rounds: 20,
  maxSecondsPerRound: 60,
  run,
};
