import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLimit } from '#http/guards/connection-limit.ts';
import { LOG } from '#store/folder/line.ts';
import { freePort } from '../test/support/postgres/process.ts';
import { Data, LARGE, SETTLE_MS, SMALL } from './data.ts';
import { Connection, load, loadAtRate, POST, postOf } from './load.ts';
import { longest, median } from './measure.ts';
import { Programs, readCpuSeconds, readPeakMemory, type RunningServer } from './programs.ts';
import { describeRun } from './report.ts';
import { formatNumber } from './rows.ts';
import {
  createRandom,
  needsOf,
  simulateCache,
  simulateChain,
  simulateWaits,
  type Costs,
} from './simulation.ts';

/*
 * `node --expose-gc --import tsx bench/scale.ts [--write]` measures what single operations cost, and three
 * deployments; simulates the same deployments from the costs; and computes what more agents need. It needs
 * Varnish (`varnishd`) and takes five minutes.
 */

const CACHED = { readers: 1000, everyMs: 1000, pages: 50, maxAgeMs: 2000, postsPerSecond: 20, seconds: 20 };

const MIRRORS = 3;
const ERASES = 20;

const WAITS = 10_000;
/** Waits of which the cost of one is measured. */
const FEW_WAITS = 1000;
const WAIT_ROUNDS = 20;
const WAIT = { path: '/api/updates?wait=240' };
/** File descriptors that a process needs beside its connections. */
const OTHER_FILES = 200;
/** The share of a server's connections that may wait. */
const WAITING_SHARE = 0.8;
/** Connections that are opened at once; Node queues 511. */
const OPENED_AT_ONCE = 100;

/** Threads that waits are spread over, in the last column. */
const THREADS = 100;
const AGENTS = [10_000, 100_000, 1_000_000];

/** Runs of a simulation, of which the average counts. */
const RUNS = 500;

const LOOK_EVERY_MS = 20;

/** Calls that wait, each on a connection of its own. */
interface Waits {
  readonly server: RunningServer;
  /** Bytes of memory that one call added. */
  readonly memory: number;
  /** Publishes a message, and waits again. @returns milliseconds until the last call was answered */
  readonly answerAll: (message: string) => Promise<number>;
  readonly close: () => void;
}

async function openWaits(
  programs: Programs,
  count: number,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  writer?: RunningServer,
): Promise<Waits> {
  const metricsPort = String(await freePort());
  const server = await programs.serve(programs.porchlight(args, { ...settings, METRICS_PORT: metricsPort }));
  const waiters = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^porchlight_waiters (\d+)/m.exec(text)![1]);
  };
  const empty = readPeakMemory(server.pid);
  const connections: Connection[] = [];
  while (connections.length < count) {
    const next = Array.from({ length: Math.min(OPENED_AT_ONCE, count - connections.length) }, () =>
      Connection.open(server),
    );
    connections.push(...(await Promise.all(next)));
  }
  const poster = await Connection.open(writer ?? server);
  const waitAll = async (): Promise<() => Promise<number[]>> => {
    const answers = connections.map(async (connection) => {
      assert.ok((await connection.send(WAIT)).includes('"timedOut":false'));
      return performance.now();
    });
    while ((await waiters()) !== count) await sleep(100);
    return () => Promise.all(answers);
  };
  let answered = await waitAll();
  const memory = (readPeakMemory(server.pid) - empty) / count;
  return {
    server,
    memory,
    answerAll: async (message) => {
      await poster.send(postOf(message));
      const posted = performance.now();
      const time = longest(await answered()) - posted;
      answered = await waitAll();
      return time;
    },
    close: () => {
      for (const connection of [...connections, poster]) connection.close();
    },
  };
}

async function measureCosts(data: Data): Promise<Costs> {
  const programs = new Programs();
  try {
    const folder = await data.copyFolder(LARGE);
    const messageBytes = statSync(join(folder, LOG)).size / LARGE;
    const small = await programs.serveFolder(await data.copyFolder(SMALL));
    const server = await programs.serveFolder(folder);
    await sleep(SETTLE_MS);
    const messageMemory = (readPeakMemory(server.pid) - readPeakMemory(small.pid)) / (LARGE - SMALL);
    const path = await pathOfThread(server);
    const { cpuMicroseconds: cachedRead } = await load(server, { path }, 5);
    const post = await measureAtRate(server, [POST]);
    const changedRead = (await measureAtRate(server, [POST, { path }])) - post;
    await programs.stopAll();
    const waits = await openWaits(programs, FEW_WAITS, ['serve'], { DATA_DIR: await data.copyFolder(SMALL) });
    await waits.answerAll('RESULT: a warm-up');
    const before = readCpuSeconds(waits.server.pid);
    const times: number[] = [];
    for (let round = 0; round < WAIT_ROUNDS; round++)
      times.push(await waits.answerAll(`RESULT: message ${round}`));
    const wait = ((readCpuSeconds(waits.server.pid) - before) / WAIT_ROUNDS / FEW_WAITS) * 1e6;
    const waitResponse = (median(times) / FEW_WAITS) * 1000;
    waits.close();
    const { memory: waitMemory } = waits;
    return { post, cachedRead, changedRead, wait, waitResponse, waitMemory, messageMemory, messageBytes };
  } finally {
    await programs.close();
  }
}

async function pathOfThread({ url }: RunningServer): Promise<string> {
  const { messages } = (await (await fetch(`${url}/api/feed`)).json()) as { messages: { rootId: string }[] };
  return `/api/posts/${messages.at(-1)!.rootId}`;
}

/**
 * @returns microseconds of the server's processor for the requests in turn, at the rate of the cached place:
 *   a server with pauses spends more on each
 */
async function measureAtRate(
  server: RunningServer,
  requests: readonly Parameters<Connection['send']>[0][],
): Promise<number> {
  const count = 200;
  const connection = await Connection.open(server);
  const before = readCpuSeconds(server.pid);
  for (let n = 0; n < count; n++) {
    for (const request of requests) await connection.send(request);
    await sleep(1000 / CACHED.postsPerSecond);
  }
  connection.close();
  return ((readCpuSeconds(server.pid) - before) / count) * 1e6;
}

/** @returns the reads that reached the origin, and the share of its processor, each a second */
async function measureCache(data: Data): Promise<{ reads: number; processor: number }> {
  const programs = new Programs();
  const { readers, everyMs, pages, maxAgeMs, postsPerSecond, seconds } = CACHED;
  const metricsPort = String(await freePort());
  const settings = {
    DATA_DIR: await data.copyFolder(LARGE),
    READ_MAX_AGE: String(maxAgeMs / 1000),
    METRICS_PORT: metricsPort,
  };
  const origin = await programs.serve(programs.porchlight(['serve'], settings));
  await sleep(SETTLE_MS);
  const port = await freePort();
  const cache = spawn(
    'varnishd',
    // Without a jail, since the bench may run as any user.
    [
      '-j',
      'none',
      '-F',
      '-n',
      programs.path('varnish'),
      '-a',
      `127.0.0.1:${port}`,
      '-b',
      new URL(origin.url).host,
    ],
    { stdio: 'ignore' },
  );
  try {
    const front = { url: `http://127.0.0.1:${port}`, pid: cache.pid! };
    await untilServed(front.url);
    const { messages } = (await (await fetch(`${origin.url}/api/feed?limit=${pages}`)).json()) as {
      messages: { id: string }[];
    };
    const random = createRandom(1);
    const connections: Connection[] = [];
    for (let n = 0; n < readers; n++) connections.push(await Connection.open(front));
    const countReads = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const counts = [...text.matchAll(/^porchlight_http_requests_total\{method="GET".*\} (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const [readsBefore, before] = [await countReads(), readCpuSeconds(origin.pid)];
    const ends = performance.now() + seconds * 1000;
    const reading = connections.map(async (connection) => {
      await sleep(random() * everyMs);
      while (performance.now() < ends) {
        const due = performance.now() + everyMs;
        const { id } = messages[Math.floor(random() * pages)]!;
        await connection.send({ path: `/api/posts/${id}` });
        await sleep(due - performance.now());
      }
    });
    await Promise.all([...reading, loadAtRate(origin, POST, postsPerSecond, seconds)]);
    const result = {
      reads: ((await countReads()) - readsBefore) / seconds,
      processor: (readCpuSeconds(origin.pid) - before) / seconds,
    };
    for (const connection of connections) connection.close();
    return result;
  } finally {
    cache.kill();
    await programs.close();
  }
}

async function untilServed(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isServed = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isServed) return;
    await sleep(50);
  }
  throw new Error(`${url} did not answer in ten seconds`);
}

/** @returns milliseconds from each erase at the origin until the last mirror of the chain obeys it */
async function measureChain(data: Data): Promise<number[]> {
  const programs = new Programs();
  try {
    const folder = await data.copyFolder(SMALL);
    const origin = await programs.serveFolder(folder);
    let last = origin;
    for (let n = 0; n < MIRRORS; n++)
      last = await programs.serve(
        programs.porchlight(['mirror', last.url], { DATA_DIR: programs.path('mirror') }),
      );
    const times: number[] = [];
    const [writer, reader] = [await Connection.open(origin), await Connection.open(last)];
    for (let n = 0; n < ERASES; n++) {
      const { id } = JSON.parse(
        (await writer.send(postOf(`a text to erase ${n}`))).split('\r\n\r\n')[1]!,
      ) as {
        id: string;
      };
      const statusAtLast = async (): Promise<number> => (await fetch(`${last.url}/api/posts/${id}`)).status;
      while ((await statusAtLast()) !== 200) await sleep(LOOK_EVERY_MS);
      // Not at a fixed time after a look of the mirrors.
      await sleep(createRandom(n)() * 2000);
      await programs.run(programs.porchlight(['erase', id, '--reason', 'by request'], { DATA_DIR: folder }));
      const erased = performance.now();
      while ((await statusAtLast()) !== 404) await sleep(LOOK_EVERY_MS);
      times.push(performance.now() - erased);
    }
    for (const connection of [writer, reader]) connection.close();
    return times;
  } finally {
    await programs.close();
  }
}

/** @returns milliseconds from each post at the origin until its mirror has answered the last of the waits */
async function measureWaits(data: Data, count: number): Promise<number[]> {
  const programs = new Programs();
  try {
    const origin = await programs.serveFolder(await data.copyFolder(SMALL));
    const settings = { DATA_DIR: programs.path('mirror') };
    const { answerAll, close } = await openWaits(programs, count, ['mirror', origin.url], settings, origin);
    const times: number[] = [];
    for (let round = 0; round < WAIT_ROUNDS; round++) times.push(await answerAll(`RESULT: message ${round}`));
    close();
    return times;
  } finally {
    await programs.close();
  }
}

const averageOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

const simulated = (run: (random: () => number) => number): number => {
  const random = createRandom(1);
  return averageOf(Array.from({ length: RUNS }, () => run(random)));
};

function row(...cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}

async function run(): Promise<void> {
  const data = new Data();
  try {
    console.log(`${describeRun([])}\n`);
    const costs = await measureCosts(data);
    row('operation', 'measured');
    row('---', '---');
    row(`a post, of ${CACHED.postsPerSecond} a second`, `${formatNumber(costs.post)} us`);
    row('a read of what is in memory', `${formatNumber(costs.cachedRead)} us`);
    row('a read of what a post has changed', `${formatNumber(costs.changedRead)} us`);
    row('the response to a call that waits, of 1,000 at once', `${formatNumber(costs.waitResponse)} us`);
    row('a call that waits, with its response', `${formatNumber(costs.wait)} us`);
    row('the same, memory', `${formatNumber(costs.waitMemory / 1000)} KB`);
    row('a message in memory', `${formatNumber(costs.messageMemory)} bytes`);
    row('a message in the log', `${formatNumber(costs.messageBytes)} bytes`);

    console.log('');
    row('deployment', 'simulated', 'measured', 'ratio');
    row('---', '---', '---', '---');
    const compare = (name: string, expected: number, found: number, unit: string): void =>
      row(
        name,
        `${formatNumber(expected)} ${unit}`,
        `${formatNumber(found)} ${unit}`,
        (found / expected).toFixed(2),
      );
    const cached = simulateCache(CACHED, costs, createRandom(1));
    const cache = await measureCache(data);
    compare('a cache in front: reads that reach the origin, a second', cached.reads, cache.reads, '');
    compare('the same: its processor, of one', cached.processor, cache.processor, '');
    const chain = await measureChain(data);
    compare(
      `an erase at the end of a chain of ${MIRRORS} mirrors, average of ${ERASES}`,
      simulated((random) => simulateChain(MIRRORS, random)) / 1000,
      averageOf(chain) / 1000,
      's',
    );
    const count = Math.min(WAITS, Math.floor((openFileLimit(process.report) - OTHER_FILES) * WAITING_SHARE));
    const waits = await measureWaits(data, count);
    compare(
      `${formatNumber(count)} waits on a mirror, until the last has a post, average of ${WAIT_ROUNDS}`,
      simulated((random) => simulateWaits(count, costs, random)) / 1000,
      averageOf(waits) / 1000,
      's',
    );

    console.log('');
    row(
      'agents',
      'posts/s',
      'reads/s',
      'waits',
      'for posts',
      'for reads',
      'for waits on the feed',
      'on threads',
      'log, a year',
      'memory, a year',
    );
    row(...Array.from({ length: 10 }, () => '---'));
    for (const agents of AGENTS) {
      const needs = needsOf(agents, costs, THREADS);
      row(
        formatNumber(agents),
        formatNumber(needs.postsPerSecond),
        formatNumber(needs.readsPerSecond),
        formatNumber(needs.waiting),
        formatNumber(needs.writeProcessors),
        formatNumber(needs.readProcessors),
        formatNumber(needs.waitProcessors),
        formatNumber(needs.threadWaitProcessors),
        `${formatNumber(needs.logBytes / 1e9)} GB`,
        `${formatNumber(needs.memoryBytes / 1e9)} GB`,
      );
    }
  } finally {
    await data.close();
  }
}

await run();
