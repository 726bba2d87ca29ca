import { assertAllErased, checkMachine, checkSnapshot } from './check-machine.ts';
import { MachineModel, type Random } from './machine-model.ts';
import { SNAPSHOT_PATH } from './model-disk.ts';
import { idOf } from './model-records.ts';
import { Outcomes } from './outcomes.ts';
import { RandomSchedule } from './random-schedule.ts';
import { setUp } from './set-up.ts';
import { SnapshotHistory } from './snapshot-damage.ts';
import { StoreProcess, type ModelRun, type Work } from './store-process.ts';

/** What a model run has checked. */
export interface ModelCounts {
  /** Machines as a power cut left them. */
  readonly images: number;
  /** Acknowledged erasures. */
  readonly erasures: number;
  readonly posts: number;
  /** Snapshots that were written. */
  readonly snapshots: number;
}

export interface ModelOptions {
  /** Whether processes write snapshots, and start from them. */
  readonly hasSnapshots: boolean;
}

const MAX_IMAGES = 6;
const MAX_PROCESSES = 6;

/**
 * Runs two to six processes on one folder of a model machine, in a random order of their system calls, with
 * failing syncs, short writes, kills, pages that the system drops, deleted snapshots, and power cuts; then
 * checks what their callers were answered.
 * @param random the whole run follows from it
 * @throws AssertionError with the calls of the run
 */
export async function runModel(random: Random, { hasSnapshots }: ModelOptions): Promise<ModelCounts> {
  const below = (bound: number): number => Math.floor(random() * bound);
  const machine = new MachineModel();
  const outcomes = new Outcomes();
  const run: ModelRun = { machine, random, outcomes, hasSnapshots, moderations: 0 };
  const history = new SnapshotHistory();
  const schedule = new RandomSchedule(random, {
    failedSyncs: below(3),
    shortWrites: below(3),
    kills: below(3),
    failedSnapshots: below(3),
  });
  const images: { machine: MachineModel; outcomes: Outcomes; step: number }[] = [];
  const ids: string[] = [];
  let processes = 0;
  const start = (): void => {
    processes += 1;
    const works = Array.from({ length: 2 + below(4) }, () => newWork(random, ids));
    schedule.start((decide) => new StoreProcess(run, decide).run(works));
  };
  try {
    await setUp(machine, below(2 ** 30));
    for (let count = 2 + below(2); count > 0; count--) start();
    await schedule.run((step) => {
      if (random() < (hasSnapshots ? 0.01 : 0.004) && processes < MAX_PROCESSES) start();
      if (random() < 0.02) for (const file of machine.cachedNames.values()) if (random() < 0.5) file.evict();
      if (random() < 0.01) machine.cachedNames.delete(SNAPSHOT_PATH);
      if (random() < 0.03 && images.length < MAX_IMAGES)
        images.push({ machine: machine.afterPowerCut(random), outcomes: outcomes.copy(), step });
      history.note(machine);
    });
    const posts = ids.length;
    for (const { step, ...image } of images) {
      const isDamaged = hasSnapshots && random() < 0.4;
      try {
        assertAllErased(image.machine, image.outcomes);
        if (isDamaged) history.damage(image.machine, random);
        await checkMachine({ ...image, posts, hasSnapshots });
      } catch (error) {
        const damage = isDamaged ? ' and another snapshot' : '';
        throw new Error(`after a power cut before call ${step}${damage}`, { cause: error });
      }
    }
    assertAllErased(machine, outcomes);
    await checkMachine({ machine, outcomes, posts, hasSnapshots });
    if (hasSnapshots) await checkSnapshot({ machine, outcomes, posts, hasSnapshots });
  } catch (error) {
    throw new Error(schedule.trace.join('\n'), { cause: error });
  }
  return {
    images: images.length,
    erasures: outcomes.erased.size,
    posts: outcomes.stored.size,
    snapshots: history.count,
  };
}

/** @param ids of the posts so far; those of the work are added */
function newWork(random: Random, ids: string[]): Work {
  const known = ids[Math.floor(random() * ids.length)];
  const draw = random();
  if (known !== undefined && draw < 0.45) {
    const action = draw < 0.35 ? 'erase' : draw < 0.42 ? 'hide' : 'unhide';
    return { moderate: action, id: known };
  }
  const count = random() < 0.7 ? 1 : 3;
  const post = Array.from({ length: count }, (_, index) => idOf(ids.length + 1 + index));
  ids.push(...post);
  return { post };
}
