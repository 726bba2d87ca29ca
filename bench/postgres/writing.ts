import type { Lab } from '../bench-context.ts';
import { count, perSecond, ratio, type Row } from '../row.ts';
import { fiftyWriters, oneWriter, type Write } from '../writers.ts';
import type { SCRIBES } from './publishers.ts';

/** The databases that are copied for whoever writes, and how many posts they have. */
export interface Templates {
  readonly server: string;
  readonly few: { readonly name: string; readonly size: number };
  readonly many: { readonly name: string; readonly size: number };
}

/** Publications through the store, beside the driver alone with the same statements. */
export async function measureWrites(
  lab: Lab,
  rounds: number,
  { server, few, many }: Templates,
): Promise<Row[]> {
  let copies = 0;
  const scribe = (who: keyof typeof SCRIBES, { name, size }: Templates['few']): Write =>
    lab.child('children/postgres-writing.ts', who, server, name, `written_${++copies}`, String(size));
  const ours = scribe('store', many);
  const one = await oneWriter(rounds, {
    inserting: scribe('inserting', many),
    pipelined: scribe('pipelined', many),
    few: scribe('store', few),
    many: ours,
  });
  const fifty = await fiftyWriters(rounds, { many: ours });
  await lab.quiet();
  const told = (ms: number): string => `(${ms.toFixed(2)} ms)`;
  return [
    {
      path: 'pg, one insert committed by itself',
      goal: '',
      measured: `${ratio(one.pipelined, one.inserting)} ${told(one.inserting)}`,
    },
    {
      path: 'pg, the statements of a publication in two round trips',
      goal: '',
      measured: `1.00 ${told(one.pipelined)}`,
    },
    {
      path: 'PostgreSQL, a publication, 1 writer',
      goal: '>= 0.6 of pg',
      met: one.many * 0.6 <= one.pipelined,
      measured: `${ratio(one.pipelined, one.many)} ${told(one.many)}`,
    },
    {
      path: `the same, ${count(many.size)} over ${count(few.size)} stored`,
      goal: '<= 1.2 x',
      met: one.many <= 1.2 * one.few,
      measured: ratio(one.many, one.few),
    },
    {
      path: 'the same, 50 writers',
      goal: '>= 3 x 1 writer',
      met: fifty.many * 3 <= one.many,
      measured: `${ratio(one.many, fifty.many)} (${perSecond(1000 / fifty.many)})`,
    },
  ];
}
