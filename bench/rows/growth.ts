import { writeFileSync } from 'node:fs';
import { chartOf } from '../growth/chart.ts';
import { growthRow } from '../growth/curve.ts';
import { measureReads } from '../growth/reading.ts';
import { measureWrites } from '../growth/writing.ts';
import type { Bench } from '../row.ts';

const CHART = new URL('../../docs/cost-by-size.svg', import.meta.url);

/** The cost of an operation in stores from small to very large; drawn, too. */
export const growth: Bench = {
  name: 'growth',
  run: async (lab, effort) => {
    const reading = await measureReads(lab, effort);
    const writing = await measureWrites(lab, effort);
    const ours = [...reading.ours, ...writing];
    writeFileSync(CHART, chartOf(ours, reading.peers));
    return [...ours.map(growthRow), ...reading.peerRows];
  },
};
