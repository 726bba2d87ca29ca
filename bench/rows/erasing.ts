import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchScript, RunningServer } from '../bench-context.ts';
import { HttpClient } from '../http-client.ts';
import { median } from '../rounds.ts';
import { formatCount, type Bench, type Row } from '../row.ts';
import { deepCursors, postId } from '../seed.ts';

const ERASES_PER_ROUND = 20;
const PAUSE_MS = 100;

/** The distance between consecutive ids, large enough that their lines are in different parts of the log. */
const STRIDE = 7919;

const MAX_MS = 100;

/** Milliseconds of the erases of a round, and of the reads of a page that was not requested before. */
interface Round {
  readonly erases: readonly number[];
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
  run: async (context, { rounds, largest: stored }) => {
    const folder = context.copyStore(stored);
    const server = await context.servePorchlight(folder);
    const eraser = context.startScript('children/erasing.ts', folder);
    const nextErase = erases(eraser, stored);
    // The first round warms up.
    const measured: Round[] = [];
    for (let round = -1; round < rounds; round++)
      measured.push(await eraseBesideReads(server, nextErase, stored));
    await context.stopAll();
    return describe(measured.slice(1), stored);
  },
};

/** @returns a function that erases the next post and returns the milliseconds */
function erases({ request }: BenchScript, stored: number): () => Promise<number> {
  let erased = 0;
  return async () => (await request({ id: postId((erased++ * STRIDE) % stored) }))[0]!;
}

async function eraseBesideReads(
  { url }: RunningServer,
  erase: () => Promise<number>,
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
  for (let n = 0; n < ERASES_PER_ROUND; n++) {
    await sleep(PAUSE_MS);
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
    during: during.map(duration),
    otherwise: reads.filter((one) => !during.includes(one)).map(duration),
  };
}

function describe(rounds: readonly Round[], stored: number): Row[] {
  const slowest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  const erases = rounds.flatMap((round) => round.erases);
  const during = slowest(rounds.flatMap((round) => round.during));
  const otherwise = slowest(rounds.flatMap((round) => round.otherwise));
  return [
    {
      path: `an erase, ${formatCount(stored)} stored`,
      goal: `<= ${MAX_MS} ms`,
      met: median(erases) <= MAX_MS,
      measured: `${median(erases).toFixed(1)} ms (slowest ${slowest(erases).toFixed(0)} ms)`,
    },
    {
      path: 'GET a deep page that nobody asked for before, from another process meanwhile: slowest',
      goal: `<= ${MAX_MS} ms`,
      met: during <= MAX_MS,
      measured: `${during.toFixed(0)} ms (without an erase ${otherwise.toFixed(0)} ms)`,
    },
  ];
}
