import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchScript, RunningServer } from '../bench-context.ts';
import { HttpClient } from '../http-client.ts';
import { readPeakMegabytes, readResidentMegabytes, resetPeakMemory } from '../processes.ts';
import { median } from '../rounds.ts';
import { formatCount, type Bench, type Row } from '../row.ts';
import { deepCursors, postId } from '../seed.ts';
import { appendWriter, type MeasureWrites } from '../writers.ts';

const ERASES_PER_ROUND = 20;
const PAUSE_MS = 100;

/** The distance between consecutive ids, large enough that their lines are in different parts of the log. */
const STRIDE = 7919;

const MAX_MS = 50;
const MAX_READ_RATIO = 2;
const MAX_GROWTH = 0.01;

/** Milliseconds of the erases of a round, and of the reads of a page that was not requested before. */
interface Round {
  readonly erases: readonly number[];
  /** An append and its sync between two erases. */
  readonly appends: readonly number[];
  /** Reads that overlap an erase, and the first one after each. */
  readonly during: readonly number[];
  readonly otherwise: readonly number[];
}

interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Erases in the largest store by one process, while another one serves reads. */
export const erasing: Bench = {
  name: 'erasing',
  run: async (context, { rounds, sizes }) => {
    const stored = sizes.at(-1)!;
    const folder = context.copyStore(stored);
    const server = await context.servePorchlight(folder);
    const eraser = context.startScript('children/erasing.ts', folder);
    const nextErase = erases(eraser, stored);
    const append = appendWriter(context);
    // The first round warms up.
    const measured: Round[] = [];
    for (let round = -1; round < rounds; round++)
      measured.push(await eraseBesideReads(server, { erase: nextErase, append }, stored));
    const growths: number[] = [];
    for (let round = 0; round < rounds; round++)
      growths.push(await memoryGrowth([server.pid, eraser.pid], nextErase));
    await context.stopAll();
    return describe(measured.slice(1), median(growths), stored);
  },
};

/** @returns a function that erases the next post and returns the milliseconds */
function erases({ request }: BenchScript, stored: number): () => Promise<number> {
  let erased = 0;
  return async () => (await request({ id: postId((erased++ * STRIDE) % stored) }))[0]!;
}

async function eraseBesideReads(
  { url }: RunningServer,
  { erase, append }: { readonly erase: () => Promise<number>; readonly append: MeasureWrites },
  stored: number,
): Promise<Round> {
  const client = new HttpClient(url);
  const cursors = deepCursors(stored);
  const reads: Interval[] = [];
  let isDone = false;
  const read = async (): Promise<void> => {
    while (!isDone) {
      const start = performance.now();
      const { status } = await client.send({ path: `/api/feed?before=${cursors()}` });
      assert.equal(status, 200);
      reads.push({ start, end: performance.now() });
    }
  };
  const reading = read();
  const intervals: Interval[] = [];
  const times: number[] = [];
  const appends: number[] = [];
  for (let n = 0; n < ERASES_PER_ROUND; n++) {
    await sleep(PAUSE_MS);
    appends.push(...(await append({ writers: 1, each: 1 })));
    const start = performance.now();
    times.push(await erase());
    intervals.push({ start, end: performance.now() });
  }
  isDone = true;
  await reading;
  client.close();
  const during = reads.filter((one, n) => {
    const previous = reads[n - 1]?.start ?? one.start;
    return intervals.some(({ start, end }) => one.end >= start && previous <= end);
  });
  const duration = ({ start, end }: Interval): number => end - start;
  return {
    erases: times,
    appends,
    during: during.map(duration),
    otherwise: reads.filter((one) => !during.includes(one)).map(duration),
  };
}

/**
 * Measures the share by which the largest resident set of the processes grows during erases without reads.
 */
async function memoryGrowth(pids: readonly number[], erase: () => Promise<number>): Promise<number> {
  const sum = (readMegabytes: (pid: number) => number): number =>
    pids.reduce((total, pid) => total + readMegabytes(pid), 0);
  for (const pid of pids) resetPeakMemory(pid);
  const before = sum(readResidentMegabytes);
  for (let n = 0; n < ERASES_PER_ROUND; n++) await erase();
  return sum(readPeakMegabytes) / before - 1;
}

function describe(rounds: readonly Round[], growth: number, stored: number): Row[] {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const slowest = (values: readonly number[]): string => `${Math.max(...values).toFixed(0)} ms`;
  const describeReads = (times: readonly number[]): string =>
    `${mean(times).toFixed(2)} ms, slowest ${slowest(times)}`;
  const erases = rounds.flatMap((round) => round.erases);
  const during = rounds.flatMap((round) => round.during);
  const otherwise = rounds.flatMap((round) => round.otherwise);
  // The mean, because a median hides a read that waits.
  const ratio = median(rounds.map((round) => mean(round.during) / mean(round.otherwise)));
  const append = median(rounds.flatMap((round) => round.appends));
  return [
    {
      path: 'append + fdatasync, between two erases',
      goal: '',
      measured: `${append.toFixed(1)} ms`,
    },
    {
      path: `an erase, ${formatCount(stored)} stored`,
      goal: `<= ${MAX_MS} ms`,
      met: median(erases) <= MAX_MS,
      measured: `${median(erases).toFixed(1)} ms (slowest ${slowest(erases)})`,
    },
    {
      path: 'GET a deep page that nobody asked for before from another process meanwhile, mean',
      goal: `<= ${MAX_READ_RATIO} x without erases`,
      met: ratio <= MAX_READ_RATIO,
      measured: `${ratio.toFixed(2)} (${describeReads(during)}; without ${describeReads(otherwise)})`,
    },
    {
      path: `memory of both processes over ${ERASES_PER_ROUND} erases`,
      goal: `<= ${100 * MAX_GROWTH} % more`,
      met: growth <= MAX_GROWTH,
      measured: `${(100 * growth).toFixed(2)} % more`,
    },
  ];
}
