import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { encodeExport } from '#workspace/export-format.ts';
import { importProgram, type BenchContext } from '../bench-context.ts';
import { startPosting, type Posting, type PostingTarget, type PostingTime } from '../posting.ts';
import { measureInTurn, median } from '../rounds.ts';
import { formatCount, type Bench, type Row, type Settings } from '../row.ts';
import { olderPosts } from '../seed.ts';

const SMALL_STORE = 1000;

/** The pause of a client that posts occasionally. */
const PAUSE_MS = 5;
const SLICE = { milliseconds: 200, pauseMs: PAUSE_MS };

const MAX_MS_BESIDE_IMPORT = 250;

const FAST_WRITERS = 7;
const MAX_MS_BESIDE_WRITERS = 500;

/** Folders on a disk, and in memory, where no sync slows the writers down. */
const PLACES = { 'the disk': tmpdir(), '/dev/shm': '/dev/shm' };

/** The time that a process waits for others that write to the same folder. */
export const sharing: Bench = {
  name: 'sharing',
  run: async (context, settings) => [
    ...(await besideImport(context, settings)),
    ...(await besideWriters(context, settings)),
  ],
};

async function besideImport(context: BenchContext, { rounds, seconds, large }: Settings): Promise<Row[]> {
  const file = context.path('export.jsonl');
  const lines: string[] = [];
  for await (const line of encodeExport(olderPosts(large))) lines.push(line);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = context.copyStore(large);
    const post = await startPosting(context, 'store', folder);
    alone.push(...(await post({ milliseconds: seconds * 1000, pauseMs: PAUSE_MS })));
    beside.push(...(await postDuring(post, context.run(importProgram(folder, file)))));
    await context.stopAll();
  }
  return [
    {
      path: `the store, 1 writer every ${PAUSE_MS} ms, ${formatCount(large)} stored: slowest post`,
      goal: '',
      measured: describeTimes(alone),
    },
    slowestRow(
      `1 writer every ${PAUSE_MS} ms beside an import of ${formatCount(large)} older posts by a process`,
      beside,
      MAX_MS_BESIDE_IMPORT,
    ),
  ];
}

/** Posts until the other work is done. @returns the milliseconds of all posts */
async function postDuring(post: Posting, work: Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const state = { isDone: false };
  const done = work.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) times.push(...(await post(SLICE)));
  await done;
  return times;
}

async function besideWriters(context: BenchContext, { rounds, seconds }: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [place, parent] of Object.entries(PLACES).filter(([, folder]) => existsSync(folder))) {
    const times = await measureInTurn(rounds, {
      append: await postTogether(context, 'append', parent, seconds),
      store: await postTogether(context, 'store', parent, seconds),
    });
    await context.stopAll();
    rows.push(
      {
        path: `append + fdatasync on ${place}, ${FAST_WRITERS + 1} processes, each a file: slowest`,
        goal: '',
        measured: describeTimes(times.append.flat()),
      },
      slowestRow(
        `the store on ${place}, any of ${FAST_WRITERS + 1} processes that write without a pause: slowest ` +
          'post',
        times.store.flat(),
        MAX_MS_BESIDE_WRITERS,
      ),
    );
  }
  return rows;
}

/** @returns a measurement: the milliseconds of all writes by all processes */
async function postTogether(
  context: BenchContext,
  target: PostingTarget,
  parent: string,
  seconds: number,
): Promise<() => Promise<number[]>> {
  const folder = target === 'store' ? context.copyStore(SMALL_STORE, parent) : undefined;
  const writers: Posting[] = [];
  for (let n = 0; n <= FAST_WRITERS; n++)
    writers.push(await startPosting(context, target, folder ?? context.path('raw', parent)));
  const time: PostingTime = { milliseconds: seconds * 1000, pauseMs: 0 };
  return async () => (await Promise.all(writers.map((post) => post(time)))).flat();
}

function describeTimes(times: readonly number[]): string {
  const slowest = times.reduce((a, b) => Math.max(a, b), 0);
  const count = formatCount(times.length);
  return `${slowest.toFixed(0)} ms (median ${median(times).toFixed(2)} ms, ${count} posts)`;
}

function slowestRow(path: string, times: readonly number[], limitMs: number): Row {
  return {
    path,
    goal: `<= ${limitMs} ms`,
    met: times.every((time) => time <= limitMs),
    measured: describeTimes(times),
  };
}
