import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCounts, NO_COUNTS, runModel } from '../../../support/store/model/run-model.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const RANDOM_BITS = 2 ** 30;

// More of them: npm run torture -- power-cut erase-races ignored-locks
for (const [name, runs, ignoresLocks] of [
  ['processes with a lock', 150, false],
  ['processes that ignore the lock', 100, true],
] as const)
  test(`${name}: ${runs} random schedules with failed syncs, kills, stops and power cuts lose nothing, and leave no erased text`, async (t) => {
    let sum = NO_COUNTS;
    for (let seed = 1; seed <= runs; seed++) {
      const random = new SeededRandom(seed);
      try {
        const counts = await runModel(() => random.below(RANDOM_BITS) / RANDOM_BITS, { ignoresLocks });
        sum = addCounts(sum, counts);
      } catch (error) {
        throw new Error(`with seed ${seed}`, { cause: error });
      }
    }
    t.diagnostic(JSON.stringify(sum));
    for (const [count, found] of Object.entries(sum)) assert.ok(found > 0, `no ${count}`);
  });
