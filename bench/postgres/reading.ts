import type { BenchContext } from '../bench-context.ts';
import { formatCount, formatRatio, type Row } from '../row.ts';
import { eightReaders, oneReader, QUERIES, createReader, type Query } from './readers.ts';

const SMALL_STORE = 1000;

const MIN_OF_PG = 0.85;

/** URLs of two databases that only readers use. */
export interface Copies {
  readonly few: string;
  readonly many: string;
}

const QUERY_NAMES: Readonly<Record<Query, string>> = { page: 'the newest 50', find: 'one by its id' };

/** Measures reads through the store, and by the driver alone with the same statements. */
export async function measureReads(
  context: BenchContext,
  rounds: number,
  { few, many }: Copies,
  large: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const query of QUERIES) {
    const all = {
      bare: createReader(context, 'bare', many, query, large),
      few: createReader(context, 'store', few, query, SMALL_STORE),
      many: createReader(context, 'store', many, query, large),
    };
    const one = await oneReader(rounds, all);
    const eight = await eightReaders(rounds, { bare: all.bare, many: all.many });
    await context.stopAll();
    const row = (readers: string, bare: number, ours: number): Row => ({
      path: `PostgreSQL, ${QUERY_NAMES[query]}, ${readers}`,
      goal: `>= ${MIN_OF_PG} of pg`,
      met: ours * MIN_OF_PG <= bare,
      measured: `${formatRatio(bare, ours)} (${(ours * 1000).toFixed(0)} us)`,
    });
    rows.push(row('1 reader', one.bare, one.many), row('8 readers', eight.bare, eight.many), {
      path: `the same, 1 reader, ${formatCount(large)} over ${formatCount(SMALL_STORE)} stored`,
      goal: '<= 1.2 x',
      met: one.many <= 1.2 * one.few,
      measured: formatRatio(one.many, one.few),
    });
  }
  return rows;
}
