import type { BenchContext } from '../bench-context.ts';
import { formatCount, formatRate, formatRatio, type Row } from '../row.ts';
import { fiftyWriters, oneWriter, type MeasureWrites } from '../writers.ts';
import type { PUBLISHERS } from './publishers.ts';

/** Databases that are copied for each publisher, with their number of posts. */
export interface Templates {
  readonly server: string;
  readonly few: { readonly name: string; readonly size: number };
  readonly many: { readonly name: string; readonly size: number };
}

/** Measures publications through the store, and by the driver alone with the same statements. */
export async function measureWrites(
  context: BenchContext,
  rounds: number,
  { server, few, many }: Templates,
): Promise<Row[]> {
  let copies = 0;
  const publisher = (target: keyof typeof PUBLISHERS, { name, size }: Templates['few']): MeasureWrites =>
    context.forkScript(
      'children/postgres-writing.ts',
      target,
      server,
      name,
      `written_${++copies}`,
      String(size),
    );
  const ours = publisher('store', many);
  const one = await oneWriter(rounds, {
    inserting: publisher('inserting', many),
    pipelined: publisher('pipelined', many),
    few: publisher('store', few),
    many: ours,
  });
  const fifty = await fiftyWriters(rounds, { many: ours });
  const words = { worded: publisher('worded', many), wordless: publisher('wordless', many) };
  const oneOfWords = await oneWriter(rounds, words);
  const fiftyOfWords = await fiftyWriters(rounds, words);
  await context.stopAll();
  const milliseconds = (ms: number): string => `(${ms.toFixed(2)} ms)`;
  const wordsRatio = formatRatio(fiftyOfWords.worded, fiftyOfWords.wordless);
  return [
    {
      path: 'pg, one insert committed by itself',
      goal: '',
      measured: `${formatRatio(one.pipelined, one.inserting)} ${milliseconds(one.inserting)}`,
    },
    {
      path: 'pg, the statements of a publication in two round trips',
      goal: '',
      measured: `1.00 ${milliseconds(one.pipelined)}`,
    },
    {
      path: 'PostgreSQL, a publication, 1 writer',
      goal: '>= 0.6 of pg',
      met: one.many * 0.6 <= one.pipelined,
      measured: `${formatRatio(one.pipelined, one.many)} ${milliseconds(one.many)}`,
    },
    {
      path: `the same, ${formatCount(many.size)} over ${formatCount(few.size)} stored`,
      goal: '<= 1.2 x',
      met: one.many <= 1.2 * one.few,
      measured: formatRatio(one.many, one.few),
    },
    {
      path: 'the same, 50 writers',
      goal: '>= 3 x 1 writer',
      met: fifty.many * 3 <= one.many,
      measured: `${formatRatio(one.many, fifty.many)} (${formatRate(1000 / fifty.many)})`,
    },
    {
      path: 'a post of 75 words over a record without words, 1 writer',
      goal: '<= 1.2 x',
      met: oneOfWords.worded <= 1.2 * oneOfWords.wordless,
      measured: `${formatRatio(oneOfWords.worded, oneOfWords.wordless)} ${milliseconds(oneOfWords.worded)}`,
    },
    {
      path: 'the same, 50 writers',
      goal: '<= 1.2 x',
      met: fiftyOfWords.worded <= 1.2 * fiftyOfWords.wordless,
      measured: `${wordsRatio} (${formatRate(1000 / fiftyOfWords.worded)})`,
    },
  ];
}
