import { growthRow } from '../growth/curve.ts';
import { measureReads } from '../growth/reading.ts';
import { measureWrites } from '../growth/writing.ts';
import type { Bench } from '../row.ts';

/** The cost of an operation in stores of several sizes. */
export const growth: Bench = {
  name: 'growth',
  run: async (context, settings) => {
    const reads = await measureReads(context, settings);
    const writes = await measureWrites(context, settings);
    return [...[...reads.ours, ...writes].map(growthRow), ...reads.peerRows];
  },
};
