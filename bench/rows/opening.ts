import type { BenchContext } from '../bench-context.ts';
import type { Opening } from '../children/opening.ts';
import { measureInTurn, median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';

const MAX_RATIO = 1.3;
const MAX_SECONDS = 0.5;
const MAX_KILOBYTES = 0.2;

/**
 * Opening a large store with all indexes, from its lines and from its snapshot, compared with parsing its
 * lines.
 */
export const opening: Bench = {
  name: 'opening',
  run: async (context, { rounds, large, sizes }) => {
    const largest = sizes.at(-1)!;
    const rows: Row[] = [];
    for (const stored of new Set([large, largest]))
      rows.push(...(await openingRows(context, rounds, stored)));
    const [bytes] = await measure(context, 'memory', context.seededFolder(largest));
    const kilobytes = bytes! / 1024 / largest;
    return [
      ...rows,
      {
        path: `memory for a stored post, ${formatCount(largest)} stored`,
        goal: `<= ${MAX_KILOBYTES} KB`,
        met: kilobytes <= MAX_KILOBYTES,
        measured: `${kilobytes.toFixed(2)} KB`,
      },
    ];
  },
};

async function openingRows(context: BenchContext, rounds: number, stored: number): Promise<Row[]> {
  const folder = context.copyStore(stored);
  const samples = await measureInTurn(rounds, {
    parse: () => measure(context, 'parse', folder),
    scan: () => measure(context, 'scan', folder),
    open: () => measure(context, 'open', folder),
  });
  const medians = (index: 0 | 1): { parse: number; scan: number; open: number } => ({
    scan: median(samples.scan.map((numbers) => numbers[index]!)),
    parse: median(samples.parse.map((numbers) => numbers[index]!)),
    open: median(samples.open.map((numbers) => numbers[index]!)),
  });
  const [{ parse, scan, open }, processor] = [medians(0), medians(1)];
  return [
    {
      path: `parsing every line of ${formatCount(stored)} posts`,
      goal: '',
      measured: `1.00 (${parse.toFixed(2)} s)`,
    },
    {
      path: `opening the store, every line read, indexes built, ${formatCount(stored)} stored`,
      goal: `<= ${MAX_RATIO} x`,
      met: scan <= MAX_RATIO * parse,
      measured: describeOpening(scan, parse, formatRatio(processor.scan, processor.parse)),
    },
    {
      path: `opening the store from its snapshot, indexes built, ${formatCount(stored)} stored`,
      goal: `<= ${MAX_SECONDS} s`,
      met: open <= MAX_SECONDS,
      measured: describeOpening(open, parse, formatRatio(processor.open, processor.parse)),
    },
  ];
}

function describeOpening(seconds: number, parse: number, processor: string): string {
  return `${formatRatio(seconds, parse)} (${seconds.toFixed(2)} s; processor time ${processor})`;
}

/**
 * Measures in a new process, where a server opens its store too, without the garbage of earlier measurements.
 */
async function measure(context: BenchContext, measurement: Opening, folder: string): Promise<number[]> {
  const numbers = await context.forkScript('children/opening.ts', measurement, folder)({});
  await context.stopAll();
  return numbers;
}
