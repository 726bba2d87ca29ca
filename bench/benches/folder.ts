import { setTimeout as sleep } from 'node:timers/promises';
import { LARGE, LARGEST, postId, postTime, scatter } from '../data.ts';
import { Connection } from '../load.ts';
import { longest, measureInTurn, median, timed } from '../measure.ts';
import { formatNumber, type Bench, type BenchContext } from '../rows.ts';

const ERASES_PER_ROUND = 20;
const ERASE_EVERY_MS = 100;

/** A large folder: opening it, its memory, and erases beside reads. */
export const folder: Bench = async (context) => {
  await opening(context, 'openLarge', LARGE);
  await opening(context, 'openLargest', LARGEST);
  const [without, withSearch] = await inNewProcess(context, 'memory', LARGEST);
  context.row('memory', without! / LARGEST);
  context.row('memoryWithSearch', withSearch! / LARGEST);
  await erases(context);
};

async function opening(
  context: BenchContext,
  name: 'openLarge' | 'openLargest',
  stored: number,
): Promise<void> {
  const times = await measureInTurn(context.rounds, {
    parse: () => inNewProcess(context, 'parse', stored),
    open: () => inNewProcess(context, 'open', stored),
  });
  const [parse, open] = [median(times.parse.flat()), median(times.open.flat())];
  context.row(name, open / parse, `${formatNumber(open)} ms, ${formatNumber(parse)} ms`);
}

/** Without the garbage of earlier measurements, as a server opens its store. */
async function inNewProcess(
  { data, programs }: BenchContext,
  task: string,
  stored: number,
): Promise<number[]> {
  const numbers = await programs.startStoreProcess(await data.folder(stored))(task);
  await programs.stopAll();
  return numbers;
}

/** One process erases, while another one serves pages that were not requested before. */
async function erases({ data, programs, rounds, row }: BenchContext): Promise<void> {
  const copy = await data.copyFolder(LARGEST);
  const server = await programs.serveFolder(copy);
  const eraser = programs.startStoreProcess(copy);
  const [nextErased, nextPage] = [scatter(LARGEST), scatter(LARGEST)];
  // The first erase opens the store of its process.
  await eraser('erase', postId(nextErased()));
  const connection = await Connection.open(server);
  const reads: number[] = [];
  const state = { isDone: false };
  const reading = (async () => {
    while (!state.isDone)
      reads.push(await timed(() => connection.send({ path: `/api/feed?before=${postTime(nextPage())}` })));
  })();
  const times: number[] = [];
  for (let n = 0; n < rounds * ERASES_PER_ROUND; n++) {
    await sleep(ERASE_EVERY_MS);
    times.push(...(await eraser('erase', postId(nextErased()))));
  }
  state.isDone = true;
  await reading;
  connection.close();
  row('erase', median(times), `longest ${formatNumber(longest(times))} ms`);
  row('readBesideErase', longest(reads), `median ${formatNumber(median(reads))} ms`);
}
