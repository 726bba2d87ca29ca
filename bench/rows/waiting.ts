import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLimit } from '#http/guards/connection-limit.ts';
import { freePort } from '../../test/support/postgres/process.ts';
import { porchlightProgram, type BenchContext, type RunningServer } from '../bench-context.ts';
import { HttpClient } from '../http-client.ts';
import { TEXT } from '../result-post.ts';
import { median } from '../rounds.ts';
import { formatCount, type Bench } from '../row.ts';
import { WaitingClients } from '../waiting-clients.ts';

const STORED_POSTS = 1000;
const MANY = 10_000;
const MAX_MS = 1000;

/** The longest wait. */
const WAIT_SECONDS = 240;

/** The share of a server's connections that may wait, and the file descriptors for other purposes. */
const WAITING_SHARE = 0.8;
const OTHER_FILES = 200;

const REQUEST = `GET /api/updates?wait=${WAIT_SECONDS} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A server whose waiting calls can be counted. */
interface WaitingServer extends RunningServer {
  readonly waiters: () => Promise<number>;
}

/** Calls that wait for messages: the time until one post answers them. */
export const waiting: Bench = {
  name: 'waiting',
  run: async (context, { rounds }) => {
    const server = await serve(context);
    const count = Math.min(MANY, Math.floor((openFileLimit(process.report) - OTHER_FILES) * WAITING_SHARE));
    const times = await answerTimes(context, server, count, rounds);
    const last = median(times.map((one) => one.last));
    const middle = median(times.map((one) => one.median));
    const calls = `${formatCount(count)} calls${count < MANY ? ', as many as `ulimit -n` allows,' : ''}`;
    return [
      {
        path: `${calls} that wait over REST: from the 201 to the last response`,
        goal: `<= ${MAX_MS} ms`,
        met: last <= MAX_MS,
        measured: `${last.toFixed(0)} ms (median response ${middle.toFixed(0)} ms)`,
      },
    ];
  },
};

async function serve(context: BenchContext): Promise<WaitingServer> {
  const port = String(await freePort());
  const { args, env } = porchlightProgram('serve', context.copyStore(STORED_POSTS));
  const server = await context.serve({ args, env: { ...env, METRICS_PORT: port } });
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
  count: number,
  rounds: number,
): Promise<Times[]> {
  const client = new HttpClient(server.url);
  const clients = await WaitingClients.open(context, server, count, REQUEST);
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
