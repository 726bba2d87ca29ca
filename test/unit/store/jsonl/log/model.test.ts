import { test } from 'node:test';
import { runModel } from '../../../../support/store/model/run-model.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

const RUNS = 150;
const RANDOM_BITS = 2 ** 30;

// More of them: npm run torture -- power-cut erase-races
test(`${RUNS} random schedules with failed syncs, kills and power cuts lose nothing, and leave no erased text`, async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = new SeededRandom(seed);
    try {
      await runModel(() => random.below(RANDOM_BITS) / RANDOM_BITS);
    } catch (error) {
      throw new Error(`with seed ${seed}`, { cause: error });
    }
  }
});
