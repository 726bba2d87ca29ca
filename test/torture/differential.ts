import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { runDifferential } from '../support/store/differential/run-differential.ts';
import { StoreLocation, type OpenStore } from '../support/store/store-location.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';
import { Database } from './support/database.ts';

const OPERATIONS = 2000;
const SHORT_OPERATIONS = 300;
const CHECKPOINTS = 4;
const MAX_SEED = 1_000_000;

async function run({ rounds, isShort, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  const operations = isShort ? SHORT_OPERATIONS : OPERATIONS;
  const { url } = await Database.create(sandbox);
  const root = await sandbox.createFolder();
  const report = (): void => undefined;
  const openFolder: OpenStore = ({ clock, location }) =>
    openFolderStore({ folder: join(root, location), clock, report });
  const openPostgres: OpenStore = ({ clock, location }) =>
    openPostgresStore({ url, schema: location.replace('-', '_'), clock, report });
  for (; tally.rounds < rounds; tally.rounds++) {
    const seed = random.below(MAX_SEED);
    log(`seed ${seed}`);
    const play = (open: OpenStore): Promise<object[]> => {
      const newLocation = (): StoreLocation => new StoreLocation(sandbox, open);
      return runDifferential({ seed, operations, checkpoints: CHECKPOINTS, newLocation });
    };
    try {
      assert.deepEqual(
        await play(openPostgres),
        await play(openFolder),
        `with seed ${seed} callers got others`,
      );
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
