import { REVISIONS } from '../mcp-messages.ts';
import type { BenchContext } from '../bench-context.ts';
import { readResidentMegabytes } from '../processes.ts';
import { median } from '../rounds.ts';
import { formatCount, type Bench, type Row } from '../row.ts';
import { toolCallRequest, mixedTraffic, send, type ExpectedRequest } from '../traffic.ts';
import { HttpClient } from '../http-client.ts';

const STORED_POSTS = 1000;

/**
 * The share of requests until the result cache has reached its maximum size; that takes some 50,000 requests.
 */
const WARM_UP_SHARE = 0.4;

const MAX_GROWTH = 0.05;
const CALLS_PER_ROW = 10_000;
const MAX_MEGABYTES = 30;

/** Every twentieth request of the mix stores a post. */
const REQUESTS_PER_POST = 20;

/**
 * Measures megabytes in use after a garbage collection: after the warm-up, after all requests, and the share
 * of the posts that the requests stored. Servers that only open the store measure that share.
 */
async function measureUsed(context: BenchContext, warmUp: number, times: number) {
  const folder = context.copyStore(STORED_POSTS);
  const measureOpened = async (): Promise<number> => {
    const { usedMegabytes } = await context.serveWithGc(folder);
    const megabytes = await usedMegabytes();
    await context.stopAll();
    return megabytes;
  };
  const openedFirst = await measureOpened();
  const { url, usedMegabytes } = await context.serveWithGc(folder);
  const client = new HttpClient(url);
  const next = mixedTraffic(STORED_POSTS);
  await send(client, warmUp, next, () => undefined);
  const first = await usedMegabytes();
  await send(
    client,
    times,
    (n, etag) => next(warmUp + n, etag),
    () => undefined,
  );
  const last = await usedMegabytes();
  client.close();
  await context.stopAll();
  const perPost = ((await measureOpened()) - openedFirst) / ((warmUp + times) / REQUESTS_PER_POST);
  return { first, last, posts: (perPost * times) / REQUESTS_PER_POST };
}

/**
 * Measures resident megabytes after a warm-up: medians of the first and of the last tenth of the requests.
 */
async function measureResident(
  context: BenchContext,
  warmUp: number,
  times: number,
  next: (n: number, etag: string) => ExpectedRequest,
): Promise<{ first: number; last: number }> {
  const { url, pid } = await context.servePorchlight(context.copyStore(STORED_POSTS));
  const client = new HttpClient(url);
  await send(client, warmUp, next, () => undefined);
  const sampleInterval = Math.ceil(times / 200);
  const samples: number[] = [];
  await send(
    client,
    times,
    (n, etag) => next(warmUp + n, etag),
    (n) => {
      if (n % sampleInterval === 0) samples.push(readResidentMegabytes(pid));
    },
  );
  client.close();
  await context.stopAll();
  const tenth = Math.ceil(samples.length / 10);
  return { first: median(samples.slice(0, tenth)), last: median(samples.slice(-tenth)) };
}

/** The growth of memory over many requests. */
export const memory: Bench = {
  name: 'memory',
  run: async (context, { requests }) => {
    const warmUp = Math.ceil(requests * WARM_UP_SHARE);
    const { first, last, posts } = await measureUsed(context, warmUp, requests - warmUp);
    const growth = last - first - posts;
    const rows: Row[] = [
      {
        path:
          `memory in use over ${formatCount(requests)} mixed requests, the first ${formatCount(warmUp)} ` +
          'aside, less the posts they store',
        goal: 'growth < 5 %',
        met: growth < MAX_GROWTH * first,
        measured:
          `${((100 * growth) / first).toFixed(1)} % ` +
          `(${first.toFixed(1)} to ${last.toFixed(1)} MB, posts ${posts.toFixed(1)} MB)`,
      },
    ];
    const calls = Math.ceil(requests / 10);
    for (const bypassesFastPath of [false, true]) {
      const kind = bypassesFastPath ? 'other' : 'hot';
      for (const revision of REVISIONS) {
        const resident = await measureResident(context, calls, calls, () =>
          toolCallRequest(revision, bypassesFastPath),
        );
        const growth = ((resident.last - resident.first) * CALLS_PER_ROW) / calls;
        rows.push({
          path: `memory of ${formatCount(CALLS_PER_ROW)} ${kind} MCP calls, ${revision}`,
          goal: `<= ${MAX_MEGABYTES} MB`,
          met: growth <= MAX_MEGABYTES,
          measured: `${growth.toFixed(1)} MB (of ${resident.last.toFixed(0)})`,
        });
      }
    }
    return rows;
  },
};
