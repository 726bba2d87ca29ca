import { count, perSecond, ratio, type Bench } from '../row.ts';
import { appender, fiftyWriters, oneWriter, sqliteOf, storeOf } from '../writers.ts';

/** Posts that are on the disk before they are acknowledged. */
export const writes: Bench = {
  name: 'writes',
  run: async (lab, { rounds, large }) => {
    const [few, many] = [storeOf(lab, 1000), storeOf(lab, large)];
    const one = await oneWriter(rounds, { append: appender(lab), few, many });
    const fifty = await fiftyWriters(rounds, { sqlite: sqliteOf(lab), few, many });
    const sizes = `the same, ${count(large)} over 1,000 stored`;
    return [
      { path: 'append + fdatasync, 1 writer', goal: '', measured: `1.00 (${one.append.toFixed(2)} ms)` },
      {
        path: 'the store, 1 writer',
        goal: '<= 1.5 x',
        met: one.many <= 1.5 * one.append,
        measured: `${ratio(one.many, one.append)} (${one.many.toFixed(2)} ms)`,
      },
      { path: sizes, goal: '<= 1.2 x', met: one.many <= 1.2 * one.few, measured: ratio(one.many, one.few) },
      { path: 'SQLite FULL without group commit', goal: '', measured: perSecond(1000 / fifty.sqlite) },
      {
        path: 'the store, 50 writers',
        goal: '>= 5 x SQLite FULL',
        met: fifty.many * 5 <= fifty.sqlite,
        measured: `${ratio(fifty.sqlite, fifty.many)} (${perSecond(1000 / fifty.many)})`,
      },
      {
        path: sizes,
        goal: '>= 0.83 x',
        met: fifty.many <= 1.2 * fifty.few,
        measured: ratio(fifty.few, fifty.many),
      },
    ];
  },
};
