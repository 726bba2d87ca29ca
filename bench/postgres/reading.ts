import type { Lab } from '../bench-context.ts';
import { count, ratio, type Row } from '../row.ts';
import { eightReaders, oneReader, QUESTIONS, readerOf, type Question } from './readers.ts';

const FEW = 1000;

/** Where copies of a size are read, by nobody who writes. */
export interface Copies {
  readonly few: string;
  readonly many: string;
}

const NAMES: Readonly<Record<Question, string>> = { page: 'the newest 50', find: 'one by its id' };

/** Reads through the store, beside the driver alone with the same statements. */
export async function measureReads(
  lab: Lab,
  rounds: number,
  { few, many }: Copies,
  large: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const question of QUESTIONS) {
    const all = {
      bare: readerOf(lab, 'bare', many, question, large),
      few: readerOf(lab, 'store', few, question, FEW),
      many: readerOf(lab, 'store', many, question, large),
    };
    const one = await oneReader(rounds, all);
    const eight = await eightReaders(rounds, { bare: all.bare, many: all.many });
    await lab.quiet();
    const row = (readers: string, bare: number, ours: number): Row => ({
      path: `PostgreSQL, ${NAMES[question]}, ${readers}`,
      goal: '>= 0.8 of pg',
      met: ours * 0.8 <= bare,
      measured: `${ratio(bare, ours)} (${(ours * 1000).toFixed(0)} us)`,
    });
    rows.push(row('1 reader', one.bare, one.many), row('8 readers', eight.bare, eight.many), {
      path: `the same, 1 reader, ${count(large)} over ${count(FEW)} stored`,
      goal: '<= 1.2 x',
      met: one.many <= 1.2 * one.few,
      measured: ratio(one.many, one.few),
    });
  }
  return rows;
}
