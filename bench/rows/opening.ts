import type { BenchContext } from '../bench-context.ts';
import type { Opening } from '../children/opening.ts';
import { measureInTurn, median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';

const MAX_RATIO = 3;
const MAX_BYTES = { without: 420, with: 520 };

/** Opening a folder from its lines, compared with parsing them, and its memory. */
export const opening: Bench = {
  name: 'opening',
  run: async (context, { rounds, large, largest }) => {
    const rows: Row[] = [];
    for (const stored of [large, largest]) rows.push(...(await openingRows(context, rounds, stored)));
    const [without, withSearch] = await measure(context, 'memory', context.seededFolder(largest));
    const memoryRow = (name: string, bytes: number, limit: number): Row => ({
      path: `memory for a stored post, ${formatCount(largest)} stored, ${name} search`,
      goal: `<= ${limit} bytes`,
      met: bytes / largest <= limit,
      measured: `${(bytes / largest).toFixed(0)} bytes`,
    });
    return [
      ...rows,
      memoryRow('without', without!, MAX_BYTES.without),
      memoryRow('with', withSearch!, MAX_BYTES.with),
    ];
  },
};

async function openingRows(context: BenchContext, rounds: number, stored: number): Promise<Row[]> {
  const folder = context.seededFolder(stored);
  const samples = await measureInTurn(rounds, {
    parse: () => measure(context, 'parse', folder),
    open: () => measure(context, 'open', folder),
  });
  const medianOf = (name: Opening & keyof typeof samples, index: 0 | 1): number =>
    median(samples[name].map((numbers) => numbers[index]!));
  const [parse, open] = [medianOf('parse', 0), medianOf('open', 0)];
  const processor = formatRatio(medianOf('open', 1), medianOf('parse', 1));
  return [
    {
      path: `parsing every line of ${formatCount(stored)} posts`,
      goal: '',
      measured: `1.00 (${parse.toFixed(2)} s)`,
    },
    {
      path: `opening the store, ${formatCount(stored)} stored`,
      goal: `<= ${MAX_RATIO} x`,
      met: open <= MAX_RATIO * parse,
      measured: `${formatRatio(open, parse)} (${open.toFixed(2)} s; processor time ${processor})`,
    },
  ];
}

/**
 * Measures in a new process, where a server opens its store too, without the garbage of earlier measurements.
 */
async function measure(context: BenchContext, measurement: Opening, folder: string): Promise<number[]> {
  const numbers = await context.forkScript('children/opening.ts', measurement, folder)({});
  await context.stopAll();
  return numbers;
}
