import { test } from 'node:test';
import { newDatabase, openStore } from '../support/postgres/postgres.ts';
import { runDifferential } from '../support/store/differential/run-differential.ts';

/** 2,000 operations of other seeds: npm run torture -- differential */
const OPERATIONS = 300;

for (const seed of [1, 2]) {
  test(`after ${OPERATIONS} random operations of seed ${seed} both engines give the same answers, as do a second process, the folder reopened and its export imported`, (t) =>
    runDifferential({
      seed,
      operations: OPERATIONS,
      checkpoints: 2,
      openPostgres: async (clock) => openStore({ url: await newDatabase(t), clock }),
    }));
}
