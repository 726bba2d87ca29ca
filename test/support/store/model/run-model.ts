import { headerLine } from '#store/jsonl/log/line.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import { LogProcess, type Work } from './log-process.ts';
import { MachineModel, type Random } from './machine-model.ts';
import { ModelDisk } from './model-disk.ts';
import { checkOutcomes, FOLDER, Outcomes } from './outcomes.ts';
import { RandomSchedule } from './random-schedule.ts';

/** What a model run has checked. */
export interface ModelCounts {
  /** Machines as a power cut left them. */
  readonly images: number;
  /** Acknowledged erasures. */
  readonly erasures: number;
  readonly posts: number;
}

const MAX_IMAGES = 6;

/**
 * Runs two to five processes on one folder of a model machine, in a random order of their system calls, with
 * failing syncs, short writes, kills, pages that the system drops, and power cuts; then checks what their
 * callers were answered.
 * @param random the whole run follows from it
 * @throws AssertionError with the calls of the run
 */
export async function runModel(random: Random): Promise<ModelCounts> {
  const below = (bound: number): number => Math.floor(random() * bound);
  const machine = new MachineModel();
  const outcomes = new Outcomes();
  const schedule = new RandomSchedule(random, {
    failedSyncs: below(3),
    shortWrites: below(3),
    kills: below(3),
  });
  const images: { machine: MachineModel; outcomes: Outcomes; step: number }[] = [];
  const ids: string[] = [];
  const start = (): void => {
    const works = Array.from({ length: 2 + below(4) }, () => newWork(random, ids));
    schedule.start((decide) => new LogProcess(machine, decide, random, outcomes).run(works));
  };
  try {
    await writeFirstSegment(machine, below(2 ** 30));
    for (let count = 2 + below(2); count > 0; count--) start();
    await schedule.run((step) => {
      if (random() < 0.004) start();
      if (random() < 0.02) for (const file of machine.cachedNames.values()) if (random() < 0.5) file.evict();
      if (random() < 0.03 && images.length < MAX_IMAGES)
        images.push({ machine: machine.afterPowerCut(random), outcomes: outcomes.copy(), step });
    });
    for (const image of images) {
      try {
        await checkOutcomes(image.machine, image.outcomes);
      } catch (error) {
        throw new Error(`after a power cut before call ${image.step}`, { cause: error });
      }
    }
    await checkOutcomes(machine, outcomes);
  } catch (error) {
    throw new Error(schedule.trace.join('\n'), { cause: error });
  }
  return { images: images.length, erasures: outcomes.erased.size, posts: outcomes.stored.size };
}

async function writeFirstSegment(machine: MachineModel, seed: number): Promise<void> {
  const disk = new ModelDisk(
    machine,
    async () => 'made',
    () => true,
  );
  const file = await disk.open(`${FOLDER}/${segmentName(1)}`, 'create');
  await file.append(headerLine({ format: 2, number: 1, from: 1, upto: 0, seed }));
  await file.sync();
  await disk.syncFolder(FOLDER);
}

/** @param ids of the posts so far; those of the work are added */
function newWork(random: Random, ids: string[]): Work {
  const known = ids[Math.floor(random() * ids.length)];
  if (known !== undefined && random() < 0.45) return { erase: known };
  const post = Array.from(
    { length: random() < 0.7 ? 1 : 3 },
    (_, index) => `post_${String(ids.length + index).padStart(3, '0')}`,
  );
  ids.push(...post);
  return { post };
}
