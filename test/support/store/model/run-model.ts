import { DayKeys } from '#store/folder/day-keys.ts';
import { checkMachine } from './check-machine.ts';
import { MachineModel, START, type Random } from './machine-model.ts';
import { KEYS, ModelDisk } from './model-disk.ts';
import { Outcomes } from './outcomes.ts';
import { RandomSchedule } from './random-schedule.ts';
import { StoreProcess, type ModelRun } from './store-process.ts';

/** What a model run has checked. */
export interface ModelCounts {
  /** Machines as a power cut left them. */
  readonly images: number;
  /** Acknowledged ones. */
  readonly erasures: number;
  readonly posts: number;
  /** Folders that a failed sync had marked. */
  readonly repairs: number;
  /** Locks that were replaced while their holder was running. */
  readonly wrongReplacements: number;
}

/** @returns the sums of both */
export function addCounts(sum: ModelCounts, counts: ModelCounts): ModelCounts {
  return {
    images: sum.images + counts.images,
    erasures: sum.erasures + counts.erasures,
    posts: sum.posts + counts.posts,
    repairs: sum.repairs + counts.repairs,
    wrongReplacements: sum.wrongReplacements + counts.wrongReplacements,
  };
}

export const NO_COUNTS: ModelCounts = {
  images: 0,
  erasures: 0,
  posts: 0,
  repairs: 0,
  wrongReplacements: 0,
};

export interface ModelOptions {
  /** Locks of living processes look dead. */
  readonly ignoresLocks: boolean;
}

const MAX_IMAGES = 6;
const MAX_PROCESSES = 7;
/** Keys of the days before and after are there too, so that no schedule depends on midnight. */
const DAY_MS = 24 * 3_600_000;

/**
 * Runs two to seven processes on one folder of a model machine, in a random order of their system calls, with
 * failing calls and write-backs, short writes, kills, stops of seconds, pages that the system drops, and power
 * cuts; then checks what their callers were told.
 * @param random the whole run follows from it
 * @throws AssertionError with the calls of the run
 */
export async function runModel(random: Random, { ignoresLocks }: ModelOptions): Promise<ModelCounts> {
  const below = (bound: number): number => Math.floor(random() * bound);
  const machine = new MachineModel();
  const outcomes = new Outcomes();
  const firstOf = new Map<number, number>();
  const run: ModelRun = {
    machine,
    random,
    outcomes,
    ignoresLocks,
    firstOf,
    posts: 0,
    moderations: 0,
    moderated: new Set(),
    lastTimestamp: '',
  };
  let [writeBacks, processes] = [below(2), 0];
  const schedule = new RandomSchedule(machine, random, {
    failedSyncs: below(2),
    failedCalls: below(2),
    shortWrites: below(3),
    kills: below(3),
    stops: below(3),
  });
  const images: { machine: MachineModel; outcomes: Outcomes; step: number }[] = [];
  const start = (work: 'serve' | 'repair'): void => {
    processes += 1;
    let process: StoreProcess | undefined;
    schedule.start(
      (decide) => (process = new StoreProcess(run, decide))[work](),
      () => process?.end(),
    );
  };
  try {
    const keys = new DayKeys(ModelDisk.withoutFaults(machine), KEYS);
    for (const time of [START - DAY_MS, START, START + DAY_MS]) await keys.prepare(time);
    for (let count = 2 + below(2); count > 0; count--) start('serve');
    await schedule.run((step) => {
      if (random() < 0.004 && processes < MAX_PROCESSES) start(random() < 0.8 ? 'serve' : 'repair');
      for (const file of machine.cachedNames.values()) {
        if (random() < 0.005) file.evict();
        if (random() < 0.005) file.writeBack(() => true);
        if (writeBacks > 0 && file.dirty.size > 0 && random() < 0.01) {
          writeBacks -= 1;
          file.failWriteBack(random);
        }
      }
      if (random() < 0.02 && images.length < MAX_IMAGES)
        images.push({ machine: machine.afterPowerCut(random), outcomes: outcomes.copy(), step });
    });
    let repairs = 0;
    for (const image of images)
      try {
        repairs += await checkMachine(image.machine, image.outcomes, firstOf);
      } catch (error) {
        throw new Error(`after a power cut before call ${image.step}`, { cause: error });
      }
    repairs += await checkMachine(machine, outcomes, firstOf);
    const { wrongReplacements } = machine;
    return {
      images: images.length,
      erasures: outcomes.erased.size,
      posts: outcomes.stored.size,
      repairs,
      wrongReplacements,
    };
  } catch (error) {
    throw new Error(schedule.trace.join('\n'), { cause: error });
  }
}
