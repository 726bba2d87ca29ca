import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runModel } from '../../../../support/store/model/run-model.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

const RANDOM_BITS = 2 ** 30;

// More of them: npm run torture -- power-cut erase-races snapshot-power-cut
for (const [name, runs, hasSnapshots] of [
  ['a folder without snapshots', 40, false],
  ['a folder with snapshots', 25, true],
] as const)
  test(`${runs} random schedules on ${name} with failed syncs, kills and power cuts lose nothing, and leave no erased text`, async (t) => {
    let snapshots = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const random = new SeededRandom(seed);
      try {
        const counts = await runModel(() => random.below(RANDOM_BITS) / RANDOM_BITS, { hasSnapshots });
        snapshots += counts.snapshots;
      } catch (error) {
        throw new Error(`with seed ${seed}`, { cause: error });
      }
    }
    t.diagnostic(`${snapshots} snapshots`);
    assert.equal(snapshots > 0, hasSnapshots);
  });
