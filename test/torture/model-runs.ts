import { runModel, type ModelCounts } from '../support/store/model/run-model.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const PROGRESS_EVERY = 1000;
const RANDOM_BITS = 2 ** 30;

interface ModelScenario extends Pick<Scenario, 'name' | 'description'> {
  /** What the rounds count. Each model run checks some of it. */
  readonly counted: keyof ModelCounts;
  readonly hasSnapshots: boolean;
}

function modelScenario({ name, description, counted, hasSnapshots }: ModelScenario): Scenario {
  return {
    name,
    description,
    rounds: 10_000,
    maxSecondsPerRound: 0.5,
    run: (options) => runModels(options, counted, hasSnapshots),
  };
}

async function runModels(
  { rounds, random, tally, log }: ScenarioOptions,
  counted: keyof ModelCounts,
  hasSnapshots: boolean,
): Promise<Outcome> {
  const sum = { images: 0, erasures: 0, posts: 0, snapshots: 0 };
  let runs = 0;
  while (tally.rounds < rounds) {
    try {
      const counts = await runModel(() => random.below(RANDOM_BITS) / RANDOM_BITS, { hasSnapshots });
      for (const name of ['images', 'erasures', 'posts', 'snapshots'] as const) sum[name] += counts[name];
      tally.rounds = sum[counted];
    } catch (error) {
      tally.expect(false, reasonOf(error));
      tally.rounds += 1;
    }
    runs += 1;
    if (runs % PROGRESS_EVERY === 0) log(`${runs} runs, ${tally.rounds} ${counted}`);
  }
  const written = hasSnapshots ? ` and ${sum.snapshots} snapshots written` : '';
  return tally.outcome(
    `${runs} runs of two to six processes: ${sum.posts} posts and ${sum.erasures} erasures acknowledged` +
      `${written}, ${sum.images} machines after a power cut opened`,
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
  hasSnapshots: false,
});

export const eraseRaces = modelScenario({
  name: 'erase-races',
  description:
    'several processes post and erase on one folder while syncs fail, writes are cut off and processes die',
  counted: 'erasures',
  hasSnapshots: false,
});

export const snapshotPowerCut = modelScenario({
  name: 'snapshot-power-cut',
  description:
    'power-cut and erase-races with snapshots, which are deleted, damaged and of other times than the log',
  counted: 'images',
  hasSnapshots: true,
});
