import { ERAS } from '../calls.ts';
import type { Lab } from '../lab.ts';
import { megabytesOf } from '../processes.ts';
import { median } from '../rounds.ts';
import { count, type Bench, type Row } from '../row.ts';
import { callOf, mixedOver, send, type Expected } from '../traffic.ts';
import { Wire } from '../wire.ts';

const STORED = 1000;

/** Until the answers that are kept have reached the size that they may have, which takes some 50,000 requests. */
const WARM_UP = 0.4;

const FLAT = 0.1;
const PER = 10_000;
const MOST_MEGABYTES = 30;

/** What a server occupies: medians of the first and of the last tenth of so many requests, after as many more that warm up. */
async function occupied(
  lab: Lab,
  warmUp: number,
  times: number,
  next: (n: number, etag: string) => Expected,
): Promise<{ first: number; last: number }> {
  const { url, pid } = await lab.porchlight(lab.store(STORED));
  const wire = new Wire(url);
  await send(wire, warmUp, next, () => undefined);
  const every = Math.ceil(times / 200);
  const seen: number[] = [];
  await send(
    wire,
    times,
    (n, etag) => next(warmUp + n, etag),
    (n) => {
      if (n % every === 0) seen.push(megabytesOf(pid));
    },
  );
  wire.close();
  await lab.quiet();
  const tenth = Math.ceil(seen.length / 10);
  return { first: median(seen.slice(0, tenth)), last: median(seen.slice(-tenth)) };
}

/** What a server occupies after many requests, beside what it occupied before. */
export const memory: Bench = {
  name: 'memory',
  run: async (lab, { requests }) => {
    const warmUp = Math.ceil(requests * WARM_UP);
    const mixed = await occupied(lab, warmUp, requests - warmUp, mixedOver(STORED));
    const rows: Row[] = [
      {
        path: `memory over ${count(requests)} mixed requests, the first ${count(warmUp)} aside`,
        goal: 'flat: < 10 %',
        met: mixed.last < (1 + FLAT) * mixed.first,
        measured: `${mixed.first.toFixed(0)} to ${mixed.last.toFixed(0)} MB`,
      },
    ];
    const calls = Math.ceil(requests / 10);
    for (const long of [false, true]) {
      for (const era of ERAS) {
        const { first, last } = await occupied(lab, calls, calls, () => callOf(era, long));
        const growth = ((last - first) * PER) / calls;
        rows.push({
          path: `memory of ${count(PER)} ${long ? 'other' : 'hot'} MCP calls, ${era}`,
          goal: `<= ${MOST_MEGABYTES} MB`,
          met: growth <= MOST_MEGABYTES,
          measured: `${growth.toFixed(1)} MB (of ${last.toFixed(0)})`,
        });
      }
    }
    return rows;
  },
};
