import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLimit } from '#http/guards/connection-limit.ts';
import { freePort } from '../../test/support/postgres/process.ts';
import type { BenchContext, GcServer } from '../bench-context.ts';
import { HttpClient } from '../http-client.ts';
import { callHeaders, toolCall } from '../mcp-messages.ts';
import { readResidentMegabytes } from '../processes.ts';
import { TEXT } from '../result-post.ts';
import { measureInTurn, median } from '../rounds.ts';
import { formatCount, formatRatio, type Bench, type Row } from '../row.ts';
import { WaitingClients } from '../waiting-clients.ts';

const STORED_POSTS = 1000;
const FEW = 100;
const MANY = 10_000;
const MAX_MS = { few: 50, many: 1500 };
const MAX_KILOBYTES = 15;
const MAX_READ_RATIO = 1.5;

/** The longest wait. */
const WAIT_SECONDS = 240;

/** The share of a server's connections that may wait, and the file descriptors for other purposes. */
const WAITING_SHARE = 0.8;
const OTHER_FILES = 200;

const READ_SECONDS = 8;
const READ_INTERVAL_MS = 10;
const POST_INTERVAL_MS = 1000;

const REST = toRequest('GET', `/api/updates?wait=${WAIT_SECONDS}`);
const MCP = toRequest(
  'POST',
  '/mcp',
  callHeaders('2025', 'wait_for_messages'),
  toolCall('2025', 'wait_for_messages', { waitSeconds: WAIT_SECONDS }),
);

/** A server whose memory and waiting calls can be measured. */
interface WaitingServer extends GcServer {
  readonly waiters: () => Promise<number>;
}

/**
 * Calls that wait for messages: the time until one post answers them, their memory, and their effect on other
 * readers.
 */
export const waiting: Bench = {
  name: 'waiting',
  run: async (context, { rounds }) => {
    const server = await serve(context);
    const few = await answerTimes(context, server, { count: FEW, request: REST, rounds });
    const fewMcp = await answerTimes(context, server, { count: FEW, request: MCP, rounds });
    const count = Math.min(MANY, Math.floor((openFileLimit(process.report) - OTHER_FILES) * WAITING_SHARE));
    const bytes = await measureMemory(context, server, count);
    const many = await answerTimes(context, server, { count, request: REST, rounds });
    const reads = await readTimes(context, server, count, rounds);
    const calls = `${formatCount(count)} calls${count < MANY ? ', as many as `ulimit -n` allows,' : ''}`;
    return [
      timesRow(`${FEW} calls that wait over REST: from the 201 to the last response`, few, MAX_MS.few),
      timesRow(`${FEW} calls that wait over MCP: from the 201 to the last response`, fewMcp, MAX_MS.few),
      timesRow(`${calls} that wait over REST: from the 201 to the last response`, many, MAX_MS.many),
      {
        path: `memory of a call that waits over REST, its connection included, ${calls} in all`,
        goal: `<= ${MAX_KILOBYTES} KB`,
        met: bytes.resident <= MAX_KILOBYTES,
        measured:
          `${bytes.resident.toFixed(1)} KB resident, ` +
          `${bytes.used.toFixed(1)} KB in use after a collection`,
      },
      {
        path:
          `GET /api/feed?limit=20 every ${READ_INTERVAL_MS} ms, one post a second, ` +
          `while ${calls} wait and ask again`,
        goal: `<= ${MAX_READ_RATIO} x without them`,
        met: median(reads.beside) <= MAX_READ_RATIO * median(reads.alone),
        measured: describeReads(reads.beside, reads.alone),
      },
    ];
  },
};

function describeReads(beside: readonly number[], alone: readonly number[]): string {
  const [middle, middleAlone] = [median(beside), median(alone)];
  const medians = `median ${middle.toFixed(2)} ms, without ${middleAlone.toFixed(2)} ms`;
  const slow = `${percentile99(beside).toFixed(0)} ms, without ${percentile99(alone).toFixed(0)} ms`;
  return `${formatRatio(middle, middleAlone)} (${medians}; 99th percentile ${slow})`;
}

function toRequest(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') {
  const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: 'localhost', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

async function serve(context: BenchContext): Promise<WaitingServer> {
  const port = await freePort();
  const server = await context.serveWithGc(context.copyStore(STORED_POSTS), { METRICS_PORT: String(port) });
  return {
    ...server,
    waiters: async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^porchlight_waiters (\d+)/m.exec(text)![1]);
    },
  };
}

async function untilWaiting({ waiters }: WaitingServer, count: number): Promise<void> {
  while ((await waiters()) !== count) await sleep(100);
}

let posts = 0;

/** Posts once. @returns the time of the 201, in monotonic milliseconds */
async function post(client: HttpClient): Promise<number> {
  const { status } = await client.send({
    path: '/api/feed',
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message: `${TEXT} ${++posts}` }),
  });
  const at = Number(process.hrtime.bigint()) / 1e6;
  assert.equal(status, 201);
  return at;
}

interface Times {
  readonly last: number;
  readonly median: number;
}

/** In each round, waits until all calls wait, and posts once. The first round warms up. */
async function answerTimes(
  context: BenchContext,
  server: WaitingServer,
  { count, request, rounds }: { count: number; request: string; rounds: number },
): Promise<Times[]> {
  const client = new HttpClient(server.url);
  const clients = await WaitingClients.open(context, server, count, request);
  const rounded: Times[] = [];
  for (let round = -1; round < rounds; round++) {
    if (round >= 0) await clients.again();
    await untilWaiting(server, count);
    const answered = clients.answered();
    const posted = await post(client);
    const times = (await answered).map((at) => at - posted);
    if (round >= 0) rounded.push({ last: times.reduce((a, b) => Math.max(a, b)), median: median(times) });
  }
  client.close();
  clients.close();
  await untilWaiting(server, 0);
  return rounded;
}

/** Measures the kilobytes of a waiting call. */
async function measureMemory(context: BenchContext, server: WaitingServer, count: number) {
  const measure = async () => ({
    used: await server.usedMegabytes(),
    resident: readResidentMegabytes(server.pid),
  });
  const before = await measure();
  const clients = await WaitingClients.open(context, server, count, REST);
  await untilWaiting(server, count);
  const after = await measure();
  clients.close();
  await untilWaiting(server, 0);
  const each = (megabytes: number): number => (megabytes * 1024) / count;
  return { used: each(after.used - before.used), resident: each(after.resident - before.resident) };
}

/** Measures the milliseconds of reads beside one post a second, without and with waiting calls. */
async function readTimes(context: BenchContext, server: WaitingServer, count: number, rounds: number) {
  const times = await measureInTurn(rounds, {
    alone: () => readAndPost(server),
    beside: async () => {
      const clients = await WaitingClients.open(context, server, count, REST);
      await untilWaiting(server, count);
      await clients.follow();
      const read = await readAndPost(server);
      clients.close();
      await untilWaiting(server, 0);
      return read;
    },
  });
  return { alone: times.alone.flat(), beside: times.beside.flat() };
}

async function readAndPost({ url }: WaitingServer): Promise<number[]> {
  const [reader, writer] = [new HttpClient(url), new HttpClient(url)];
  const end = performance.now() + READ_SECONDS * 1000;
  const posting = every(POST_INTERVAL_MS, end, () => post(writer));
  const times = await every(READ_INTERVAL_MS, end, async () => {
    const start = performance.now();
    const { status } = await reader.send({ path: '/api/feed?limit=20' });
    assert.equal(status, 200);
    return performance.now() - start;
  });
  await posting;
  reader.close();
  writer.close();
  return times;
}

/** Runs a function once per interval, or at once after a longer run. @returns its results */
async function every<Result>(intervalMs: number, end: number, run: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let due = performance.now(); due < end; due = Math.max(due + intervalMs, performance.now())) {
    await sleep(Math.max(0, due - performance.now()));
    results.push(await run());
  }
  return results;
}

function timesRow(path: string, times: readonly Times[], limitMs: number): Row {
  const last = median(times.map((one) => one.last));
  const middle = median(times.map((one) => one.median));
  return {
    path,
    goal: `<= ${limitMs} ms`,
    met: last <= limitMs,
    measured: `${last.toFixed(0)} ms (median response ${middle.toFixed(0)} ms)`,
  };
}

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
}
