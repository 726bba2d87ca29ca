import { formatCount, formatRate, formatRatio, type Bench } from '../row.ts';
import { appendWriter, fiftyWriters, oneWriter, sqliteWriter, storeWriter } from '../writers.ts';

/** Durable writes into the store. */
export const writes: Bench = {
  name: 'writes',
  run: async (context, { rounds, large }) => {
    const [few, many] = [storeWriter(context, 1000), storeWriter(context, large)];
    const one = await oneWriter(rounds, { append: appendWriter(context), few, many });
    const fifty = await fiftyWriters(rounds, { sqlite: sqliteWriter(context), few, many });
    const sizes = `the same, ${formatCount(large)} over 1,000 stored`;
    return [
      { path: 'append + fdatasync, 1 writer', goal: '', measured: `1.00 (${one.append.toFixed(2)} ms)` },
      {
        path: 'the store, 1 writer',
        goal: '<= 1.5 x append + fdatasync',
        met: one.many <= 1.5 * one.append,
        measured: `${formatRatio(one.many, one.append)} (${one.many.toFixed(2)} ms)`,
      },
      {
        path: sizes,
        goal: '<= 1.2 x',
        met: one.many <= 1.2 * one.few,
        measured: formatRatio(one.many, one.few),
      },
      { path: 'SQLite FULL without group commit', goal: '', measured: formatRate(1000 / fifty.sqlite) },
      {
        path: 'the store, 50 writers',
        goal: '>= 5 x SQLite FULL',
        met: fifty.many * 5 <= fifty.sqlite,
        measured: `${formatRatio(fifty.sqlite, fifty.many)} (${formatRate(1000 / fifty.many)})`,
      },
      {
        path: sizes,
        goal: '>= 0.83 x',
        met: fifty.many <= 1.2 * fifty.few,
        measured: formatRatio(fifty.few, fifty.many),
      },
    ];
  },
};
