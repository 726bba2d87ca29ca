import {
  addCounts,
  NO_COUNTS,
  runModel,
  type ModelCounts,
  type ModelOptions,
} from '../support/store/model/run-model.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';
import { SeededRandom } from './support/random.ts';

const PROGRESS_EVERY = 1000;
const RANDOM_BITS = 2 ** 30;

interface ModelScenario extends Pick<Scenario, 'name' | 'description'>, ModelOptions {
  /** What the rounds count. Each model run checks some of it. */
  readonly counted: keyof ModelCounts;
}

const modelScenario = ({ name, description, ...model }: ModelScenario): Scenario => ({
  name,
  description,
  rounds: 10_000,
  maxSecondsPerRound: 0.5,
  run: (options) => runModels(options, model),
});

async function runModels(
  { rounds, random, tally, log }: ScenarioOptions,
  { counted, ignoresLocks }: Omit<ModelScenario, 'name' | 'description'>,
): Promise<Outcome> {
  let sum = NO_COUNTS;
  let runs = 0;
  while (tally.rounds < rounds) {
    // Each run has a seed of its own, which a failure names.
    const seed = random.below(RANDOM_BITS);
    const ofRun = new SeededRandom(seed);
    try {
      const counts = await runModel(() => ofRun.below(RANDOM_BITS) / RANDOM_BITS, { ignoresLocks });
      sum = addCounts(sum, counts);
      tally.rounds = sum[counted];
    } catch (error) {
      tally.expect(false, `with seed ${seed}: ${reasonOf(error)}`);
      tally.rounds += 1;
    }
    runs += 1;
    if (runs % PROGRESS_EVERY === 0) log(`${runs} runs, ${tally.rounds} ${counted}`);
  }
  return tally.outcome(
    `${runs} runs of two to seven processes: ${sum.posts} posts and ${sum.erasures} erasures acknowledged, ` +
      `${sum.repairs} folders repaired, ${sum.wrongReplacements} locks of running processes replaced, ` +
      `${sum.images} machines after a power cut opened`,
  );
}

/** The innermost cause; the outer one holds the calls of the run. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : String(error);
}

export const powerCut = modelScenario({
  name: 'power-cut',
  description:
    'a power cut at any system call, after which any of the unsynced blocks and names are on the disk',
  counted: 'images',
  ignoresLocks: false,
});

export const eraseRaces = modelScenario({
  name: 'erase-races',
  description:
    'several processes post and erase on one folder while syncs fail, writes are cut off and processes die',
  counted: 'erasures',
  ignoresLocks: false,
});

export const ignoredLocks = modelScenario({
  name: 'ignored-locks',
  description:
    'power-cut and erase-races between processes that replace the locks of running ones; a round is one',
  counted: 'wrongReplacements',
  ignoresLocks: true,
});
