import { DayKeys } from '#store/folder/day-keys.ts';
import { FailureFlag } from '#store/folder/failed-sync.ts';
import { decodeLine, type DecodedLine } from '#store/folder/line.ts';
import { deferred } from '../deferred.ts';
import { checkMachine } from './check-machine.ts';
import { MachineModel, START, type Random } from './machine-model.ts';
import { FOLDER, KEYS, LOG, MARK, ModelDisk } from './model-disk.ts';
import { Outcomes } from './outcomes.ts';
import { RandomSchedule } from './random-schedule.ts';
import { StoreProcess, type Intervention, type ModelRun } from './store-process.ts';

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
/** Keys of these days are there too, so that no schedule depends on midnight or on a wrong clock. */
const DAYS = [-60, -1, 0, 1, 60];
const DAY_MS = 24 * 3_600_000;

const INTERVENTIONS: readonly Intervention[] = [
  'none',
  'none',
  'none',
  'older log',
  'mark removed',
  'flipped byte',
];

/** A machine as a power cut left it. */
interface Image {
  readonly machine: MachineModel;
  readonly outcomes: Outcomes;
  /** As of the run at that time. */
  readonly flipped: string | undefined;
  readonly step: number;
}

/**
 * Runs two to seven processes on one folder of a model machine, in a random order of their system calls, with
 * failing calls and write-backs, short writes, kills, stops of seconds, pages that the system drops, hidden
 * and different boots, wrong clocks, power cuts, and an operator who damages the folder; then checks what
 * their callers were told.
 * @param random the whole run follows from it
 * @throws AssertionError with the calls of the run
 */
export async function runModel(random: Random, { ignoresLocks }: ModelOptions): Promise<ModelCounts> {
  const below = (bound: number): number => Math.floor(random() * bound);
  const oneOf = <Member>(members: readonly Member[]): Member => members[below(members.length)] as Member;
  const machine = new MachineModel();
  const outcomes = new Outcomes();
  const half = deferred();
  // A lock that is taken from a running process, and a late write of that, would race with the operator.
  const intervention = ignoresLocks ? 'none' : oneOf(INTERVENTIONS);
  const boots = oneOf(['known', 'known', 'partly hidden', 'different'] as const);
  const run: ModelRun = {
    machine,
    random,
    outcomes,
    ignoresLocks,
    boots,
    hasWrongClocks: random() < 0.2,
    intervention,
    half: half.promise,
    firstOf: new Map(),
    flipped: undefined,
    imports: new Map(),
    hides: [],
    imported: new Set(),
    posts: 0,
    moderations: 0,
    moderated: new Set(),
    lastTimestamp: '',
  };
  const isMarked = intervention === 'mark removed';
  // A mark means nothing in another boot.
  const mayFailSyncs = boots !== 'different' && intervention !== 'older log';
  let [writeBacks, started] = [mayFailSyncs ? below(2) : 0, 0];
  const schedule = new RandomSchedule(machine, random, {
    failedSyncs: mayFailSyncs ? Number(isMarked) + below(2) : 0,
    failedCalls: below(4),
    failedMarks: mayFailSyncs ? below(3) : 0,
    shortWrites: below(3),
    kills: below(3),
    stops: below(4),
    holds: mayFailSyncs ? below(3) : 0,
  });
  const images: Image[] = [];
  const processes: StoreProcess[] = [];
  const start = (work: 'serve' | 'repair'): void => {
    started += 1;
    let process: StoreProcess | undefined;
    schedule.start(
      (decide) => {
        process = new StoreProcess(run, decide);
        processes.push(process);
        return process[work]();
      },
      () => process?.end(),
    );
  };
  /** The log as a backup holds it. */
  let older: Buffer | undefined;
  let isHalf = false;
  const intervene = (): void => {
    if (isHalf) throw new Error('no process makes a call');
    isHalf = true;
    if (changeFolder(run, older)) {
      for (const process of processes) process.look();
      start('serve');
    }
    half.resolve();
  };
  /** The sync of a process that has ended failed, and somebody repairs the folder beside the held process. */
  const repairBeside = (): void => {
    const log = machine.cachedNames.get(LOG);
    if (log === undefined) return;
    machine.hasFailed = true;
    const boot = `boot-${machine.boot}`;
    const flag = new FailureFlag(ModelDisk.withoutFaults(machine), FOLDER, { boot });
    void flag.write(log.cached.length);
    start('repair');
  };
  try {
    const keys = new DayKeys(ModelDisk.withoutFaults(machine), KEYS);
    for (const day of DAYS) await keys.prepare(START + day * DAY_MS);
    for (let count = 2 + below(2); count > 0; count--) start('serve');
    await schedule.run(
      (step) => {
        if (random() < 0.004 && started < MAX_PROCESSES) start(random() < 0.8 ? 'serve' : 'repair');
        for (const [path, file] of machine.cachedNames) {
          if (path === LOG && random() < 0.01) older = Buffer.from(file.cached);
          // Without its mark, nobody knows what the system drops.
          if (random() < 0.005 && !isMarked) file.evict();
          if (random() < 0.005) file.writeBack(() => true);
          if (writeBacks > 0 && file.dirty.size > 0 && random() < 0.01) {
            writeBacks -= 1;
            file.failWriteBack(random);
          }
        }
        const isUnprotected = isMarked && isHalf;
        if (random() < 0.02 && images.length < MAX_IMAGES && !isUnprotected)
          images.push({
            machine: machine.afterPowerCut(random),
            outcomes: outcomes.copy(),
            flipped: run.flipped,
            step,
          });
      },
      intervene,
      repairBeside,
    );
    const expected = { firstOf: run.firstOf, hasLimit: !run.hasWrongClocks };
    const last = { machine, outcomes, flipped: run.flipped, step: schedule.trace.length + 1 };
    let repairs = 0;
    for (const image of [...images, last])
      try {
        // A misled process proves lines that are lost; without evictions nothing is.
        const isMisled = image.machine.hasMisled && !(image === last && isMarked);
        const isDamaged = isMisled || loseFlipped(image);
        repairs += await checkMachine(image.machine, image.outcomes, { ...expected, isDamaged });
      } catch (error) {
        const what = image === last ? 'in the end' : `after a power cut before call ${image.step}`;
        throw new Error(what, { cause: error });
      }
    const { wrongReplacements } = machine;
    return {
      images: images.length,
      erasures: outcomes.erased.size,
      posts: outcomes.stored.size,
      repairs,
      wrongReplacements,
    };
  } catch (error) {
    throw new Error([`${boots} boots, ${intervention}`, ...schedule.trace].join('\n'), { cause: error });
  }
}

/**
 * Expects nothing of a post of which a byte has flipped, unless its erase was acknowledged.
 * @returns whether there is such a post
 */
function loseFlipped({ outcomes, flipped }: Image): boolean {
  if (flipped === undefined || outcomes.erased.has(flipped)) return false;
  outcomes.stored.delete(flipped);
  outcomes.shown.delete(flipped);
  return true;
}

/**
 * Does by hand what the run intends.
 * @param older the log as it was before
 * @returns whether anything was changed
 */
function changeFolder(run: ModelRun, older: Buffer | undefined): boolean {
  const { machine, intervention } = run;
  const log = machine.cachedNames.get(LOG);
  if (log === undefined) return false;
  if (intervention === 'mark removed') {
    const isRemoved = machine.cachedNames.delete(MARK);
    machine.durableNames.delete(MARK);
    return isRemoved;
  }
  if (intervention === 'older log') {
    if (older === undefined || older.length >= log.cached.length) return false;
    log.replaceBytes(older);
    run.outcomes.clear();
    run.imported.clear();
    run.lastTimestamp = '';
    return true;
  }
  if (intervention !== 'flipped byte') return false;
  const found = provedPost(log.cached, run);
  if (found === undefined) return false;
  const bytes = Buffer.from(log.cached);
  bytes[found.at] = (bytes[found.at] ?? 0) ^ 1;
  log.replaceBytes(bytes);
  run.flipped = found.id;
  return true;
}

/** @returns a post whose line a later one proves, and a byte in the middle of its text */
function provedPost(
  bytes: Buffer,
  { outcomes, moderated }: ModelRun,
): { id: string; at: number } | undefined {
  const lines: DecodedLine[] = [];
  let at = 0;
  // Behind the last line feed is the beginning of a line, which proves nothing.
  for (const piece of bytes.toString('latin1').split('\n').slice(0, -1)) {
    const line = decodeLine(Buffer.from(piece, 'latin1'));
    if (line?.offset === at && line.seq === lines.length + 1) lines.push(line);
    at += piece.length + 1;
  }
  const proved = Math.max(0, ...lines.map(({ syncedUpTo }) => syncedUpTo));
  for (const line of lines) {
    if (line.seq > proved || !('add' in line.do)) continue;
    const { id } = line.do.record;
    if (!outcomes.stored.has(id) || moderated.has(id)) continue;
    return { id, at: bytes.indexOf('-xxx', line.offset) + 2 };
  }
  return undefined;
}
