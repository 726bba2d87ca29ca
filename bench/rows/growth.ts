import { writeFileSync } from 'node:fs';
import { drawChart } from '../growth/chart.ts';
import { growthRow } from '../growth/curve.ts';
import { measureReads } from '../growth/reading.ts';
import { measureWrites } from '../growth/writing.ts';
import type { Bench } from '../row.ts';

const CHART = new URL('../../docs/cost-by-size.svg', import.meta.url);

/** The cost of an operation in stores of several sizes; also draws the chart. */
export const growth: Bench = {
  name: 'growth',
  run: async (context, settings) => {
    const reads = await measureReads(context, settings);
    const writes = await measureWrites(context, settings);
    const ours = [...reads.ours, ...writes];
    writeFileSync(CHART, drawChart(ours, reads.peers));
    return [...ours.map(growthRow), ...reads.peerRows];
  },
};
