import { writeFileSync } from 'node:fs';
import { encodeExport } from '#workspace/export-format.ts';
import { importProgram, type BenchContext } from '../bench-context.ts';
import { startPosting, type Posting, type PostingTarget, type PostingTime } from '../posting.ts';
import { measureInTurn, median, percentile99 } from '../rounds.ts';
import { formatCount, type Bench, type Row, type Settings } from '../row.ts';
import { olderPosts } from '../seed.ts';

const SMALL_STORE = 1000;

/** The pause of a client that posts occasionally. */
const PAUSE_MS = 5;
const SLICE = { milliseconds: 200, pauseMs: PAUSE_MS };

const BESIDE_IMPORT_MS = { percentile99: 250, longest: 1000 };

const WRITERS = 4;
const MAX_MS_BESIDE_WRITERS = 60;
/** Of all posts, the share of the process with the fewest. */
const MIN_SHARE = 0.1;

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
    {
      path: `1 writer every ${PAUSE_MS} ms beside an import of ${formatCount(large)} older posts by a process`,
      goal: `99th percentile <= ${BESIDE_IMPORT_MS.percentile99} ms, longest <= ${BESIDE_IMPORT_MS.longest} ms`,
      met:
        percentile99(beside) <= BESIDE_IMPORT_MS.percentile99 && longest(beside) <= BESIDE_IMPORT_MS.longest,
      measured: `${percentile99(beside).toFixed(0)} ms, ${describeTimes(beside)}`,
    },
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
  const times = await measureInTurn(rounds, {
    append: await postTogether(context, 'append', seconds),
    store: await postTogether(context, 'store', seconds),
  });
  await context.stopAll();
  const all = times.store.flat(2);
  const counts = Array.from({ length: WRITERS }, (_, n) =>
    times.store.reduce((sum, writers) => sum + (writers[n]?.length ?? 0), 0),
  );
  const share = Math.min(...counts) / all.length;
  return [
    {
      path: `append + fdatasync, ${WRITERS} processes, each a file: slowest`,
      goal: '',
      measured: describeTimes(times.append.flat(2)),
    },
    {
      path: `the store, any of ${WRITERS} processes that write without a pause: slowest post`,
      goal: `<= ${MAX_MS_BESIDE_WRITERS} ms`,
      met: longest(all) <= MAX_MS_BESIDE_WRITERS,
      measured: describeTimes(all),
    },
    {
      path: 'the same: share of the process with the fewest posts',
      goal: `>= ${MIN_SHARE}`,
      met: share >= MIN_SHARE,
      measured: share.toFixed(2),
    },
  ];
}

/** @returns a measurement: the milliseconds of the writes of each process */
async function postTogether(
  context: BenchContext,
  target: PostingTarget,
  seconds: number,
): Promise<() => Promise<number[][]>> {
  const folder = target === 'store' ? context.copyStore(SMALL_STORE) : undefined;
  const writers: Posting[] = [];
  for (let n = 0; n < WRITERS; n++)
    writers.push(await startPosting(context, target, folder ?? context.path('raw')));
  const time: PostingTime = { milliseconds: seconds * 1000, pauseMs: 0 };
  return () => Promise.all(writers.map((post) => post(time)));
}

const longest = (times: readonly number[]): number => times.reduce((a, b) => Math.max(a, b), 0);

function describeTimes(times: readonly number[]): string {
  const count = formatCount(times.length);
  return `${longest(times).toFixed(0)} ms (median ${median(times).toFixed(2)} ms, ${count} posts)`;
}
