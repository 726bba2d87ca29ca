import { assertAllErased, checkMachine, checkRows } from './check-machine.ts';
import { MachineModel, type Random } from './machine-model.ts';
import { ROWS } from './model-disk.ts';
import { idOf } from './model-records.ts';
import { Outcomes } from './outcomes.ts';
import { RandomSchedule } from './random-schedule.ts';
import { RowsHistory } from './rows-damage.ts';
import { setUp } from './set-up.ts';
import { StoreProcess, type ModelRun, type Work } from './store-process.ts';

/** What a model run has checked. */
export interface ModelCounts {
  /** Machines as a power cut left them. */
  readonly images: number;
  /** Acknowledged erasures. */
  readonly erasures: number;
  readonly posts: number;
  /** Files of rows that were made. */
  readonly rowsFiles: number;
}

export interface ModelOptions {
  /** Whether processes write the folder `rows` and start from it. */
  readonly hasRows: boolean;
}

const MAX_IMAGES = 6;
const MAX_PROCESSES = 6;

/**
 * Runs two to six processes on one folder of a model machine, in a random order of their system calls, with
 * failing syncs, short writes, kills, pages that the system drops, deleted files of rows, and power cuts; then
 * checks what their callers were answered.
 * @param random the whole run follows from it
 * @throws AssertionError with the calls of the run
 */
export async function runModel(random: Random, { hasRows }: ModelOptions): Promise<ModelCounts> {
  const below = (bound: number): number => Math.floor(random() * bound);
  const machine = new MachineModel();
  const outcomes = new Outcomes();
  const linesPerFile = hasRows ? 1 + below(3) : undefined;
  const run: ModelRun = { machine, random, outcomes, linesPerFile, moderations: 0 };
  const history = new RowsHistory();
  const schedule = new RandomSchedule(random, {
    failedSyncs: below(3),
    shortWrites: below(3),
    kills: below(3),
    failedRows: below(3),
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
      if (random() < (hasRows ? 0.01 : 0.004) && processes < MAX_PROCESSES) start();
      if (random() < 0.02) for (const file of machine.cachedNames.values()) if (random() < 0.5) file.evict();
      if (random() < 0.01) deleteRows(machine, random);
      if (random() < 0.03 && images.length < MAX_IMAGES)
        images.push({ machine: machine.afterPowerCut(random), outcomes: outcomes.copy(), step });
      if (hasRows) history.note(machine);
    });
    const posts = ids.length;
    for (const { step, ...image } of images) {
      const isDamaged = hasRows && random() < 0.4;
      try {
        assertAllErased(image.machine, image.outcomes);
        if (isDamaged) history.damage(image.machine, random);
        await checkMachine({ ...image, posts, linesPerFile });
      } catch (error) {
        const damage = isDamaged ? ' and damage of the folder rows' : '';
        throw new Error(`after a power cut before call ${step}${damage}`, { cause: error });
      }
    }
    assertAllErased(machine, outcomes);
    await checkMachine({ machine, outcomes, posts, linesPerFile });
    await checkRows({ machine, outcomes, posts, linesPerFile });
  } catch (error) {
    throw new Error(schedule.trace.join('\n'), { cause: error });
  }
  return {
    images: images.length,
    erasures: outcomes.erased.size,
    posts: outcomes.stored.size,
    rowsFiles: history.count,
  };
}

/** Deletes all files of the folder `rows`, or some, as an operator may at any time. */
function deleteRows(machine: MachineModel, random: Random): void {
  const share = random();
  for (const path of machine.pathsIn(ROWS)) if (random() < share) machine.cachedNames.delete(path);
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
