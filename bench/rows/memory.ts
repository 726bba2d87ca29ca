import { ERAS } from '../mcp-messages.ts';
import type { Lab } from '../bench-context.ts';
import { megabytesOf } from '../processes.ts';
import { median } from '../rounds.ts';
import { count, type Bench, type Row } from '../row.ts';
import { callOf, mixedOver, send, type Expected } from '../traffic.ts';
import { Wire } from '../http-client.ts';

const STORED = 1000;

/** Until the answers that are kept have reached the size that they may have, which takes some 50,000 requests. */
const WARM_UP = 0.4;

const MAX_GROWTH = 0.05;
const PER = 10_000;
const MOST_MEGABYTES = 30;

/** Every twentieth request of the mix stores a post. */
const REQUESTS_PER_POST = 20;

/**
 * What a server holds after a collection, in megabytes: after the requests that warm up, after all of them, and how much of the
 * difference are the posts that it stored. A server that has only opened the store shows how much those are.
 */
async function heldOver(lab: Lab, warmUp: number, times: number) {
  const folder = lab.store(STORED);
  const opened = async (): Promise<number> => {
    const { inUse } = await lab.collectingServer(folder);
    const megabytes = await inUse();
    await lab.quiet();
    return megabytes;
  };
  const openedFirst = await opened();
  const { url, inUse } = await lab.collectingServer(folder);
  const wire = new Wire(url);
  const next = mixedOver(STORED);
  await send(wire, warmUp, next, () => undefined);
  const first = await inUse();
  await send(
    wire,
    times,
    (n, etag) => next(warmUp + n, etag),
    () => undefined,
  );
  const last = await inUse();
  wire.close();
  await lab.quiet();
  const ofOnePost = ((await opened()) - openedFirst) / ((warmUp + times) / REQUESTS_PER_POST);
  return { first, last, posts: (ofOnePost * times) / REQUESTS_PER_POST };
}

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
    const { first, last, posts } = await heldOver(lab, warmUp, requests - warmUp);
    const growth = last - first - posts;
    const rows: Row[] = [
      {
        path: `memory in use over ${count(requests)} mixed requests, the first ${count(warmUp)} aside, less the posts they store`,
        goal: 'growth < 5 %',
        met: growth < MAX_GROWTH * first,
        measured: `${((100 * growth) / first).toFixed(1)} % (${first.toFixed(1)} to ${last.toFixed(1)} MB, posts ${posts.toFixed(1)} MB)`,
      },
    ];
    const calls = Math.ceil(requests / 10);
    for (const long of [false, true]) {
      for (const era of ERAS) {
        const occupation = await occupied(lab, calls, calls, () => callOf(era, long));
        const growth = ((occupation.last - occupation.first) * PER) / calls;
        rows.push({
          path: `memory of ${count(PER)} ${long ? 'other' : 'hot'} MCP calls, ${era}`,
          goal: `<= ${MOST_MEGABYTES} MB`,
          met: growth <= MOST_MEGABYTES,
          measured: `${growth.toFixed(1)} MB (of ${occupation.last.toFixed(0)})`,
        });
      }
    }
    return rows;
  },
};
