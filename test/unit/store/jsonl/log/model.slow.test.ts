import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runModel } from '../../../../support/store/model/run-model.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

const RANDOM_BITS = 2 ** 30;

// More of them: npm run torture -- power-cut erase-races rows-power-cut
for (const [name, runs, hasRows] of [
  ['a folder without rows', 40, false],
  ['a folder with rows', 25, true],
] as const)
  test(`${runs} random schedules on ${name} with failed syncs, kills and power cuts lose nothing, and leave no erased text`, async (t) => {
    let rowsFiles = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const random = new SeededRandom(seed);
      try {
        const counts = await runModel(() => random.below(RANDOM_BITS) / RANDOM_BITS, { hasRows });
        rowsFiles += counts.rowsFiles;
      } catch (error) {
        throw new Error(`with seed ${seed}`, { cause: error });
      }
    }
    t.diagnostic(`${rowsFiles} files of rows`);
    assert.equal(rowsFiles > 0, hasRows);
  });
