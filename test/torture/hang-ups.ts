import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from '../support/http/post-json.ts';
import { megabytes } from '../support/memory.ts';
import { startBystander } from './support/bystander.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

/** As many a minute as the default limit lets one network send. */
const READS_A_SECOND = 20;
const SECONDS = 60;
const SHORT_SECONDS = 5;
/** Of the same network as the default limit: 24 posts an hour. */
const POSTS_PER_NETWORK = 24;
const LONG_POSTS = 100;
/** A character of three bytes: the largest page has 2.4 MB of text. */
const LONG_TEXT = '字'.repeat(8000);
/** Emphasis that never closes, which costs a renderer most. */
const COSTLY_MARKDOWN = `${'a**\t'.repeat(20)}\n`.repeat(97);
const COSTLY_POSTS = 14;

/** Goals for a bystander, in seconds, and for the growth of the process. A row fails at four times a goal. */
const GOALS = {
  1: { search: 0.25, page: 0.25, post: 0.5, health: 0.1 },
  20: { search: 1, page: 1, post: 1, health: 0.1 },
} as const;
const GROWTH_GOAL = 150 * 2 ** 20;
const TOLERANCE = 4;

interface Attack {
  readonly name: string;
  readonly hangUpMs: number;
  /** @returns the head and body of a request that no other call equals */
  readonly request: (n: number, thread: string) => string;
}

const microseconds = (n: number): string => String(n % 1_000_000).padStart(6, '0');
const future = (n: number): string =>
  `2030-01-01T00:00:${String((n >> 4) % 60).padStart(2, '0')}.${microseconds(n * 7)}Z`;
const past = (n: number): string => `2020-01-01T00:00:00.${microseconds(n)}Z`;

const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}`;

function mcpCall(name: string, args: object): string {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const head =
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n';
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\u0000${body}`;
}

const GZIP = 'Accept-Encoding: gzip\r\n';

const ATTACKS: readonly Attack[] = [
  {
    name: 'lists',
    hangUpMs: 50,
    request: (n) => get(`/api/feed?limit=100&before=${future(n)}`, GZIP),
  },
  {
    name: 'threads',
    hangUpMs: 200,
    request: (n, thread) => get(`/posts/${thread}?after=${past(n)}`, GZIP),
  },
  {
    name: 'mixed',
    hangUpMs: 100,
    request: (n, thread) =>
      [
        () => mcpCall('read_feed', { limit: 100, before: future(n) }),
        () => get(`/api/posts/${thread}?whole=true&limit=100&after=${past(n)}`, 'If-None-Match: "x"\r\n'),
        () => get(`/api/work?q=w${n}`),
        () => get(`/api/updates?limit=100&after=${past(n)}`),
        () => get(`/archive/${new Date().toISOString().slice(0, 10)}?after=${past(n)}`, GZIP),
        () => get(`/feed?q=w${n}`),
        () => get(`/api/updates?wait=240&posts=${thread}&after=${future(n)}`),
        () => get(`/posts/${thread}/feed.atom?x=${n}`, GZIP),
        () => mcpCall('find_work', {}),
      ][n % 9]!(),
  },
];

/** Sends a request over a new connection, and closes it without reading. */
function hangUp(url: string, request: string, network: string, afterMs: number): void {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const [head = '', body = ''] = request.split('\u0000');
  socket.on('error', () => undefined);
  socket.write(`${head}X-Forwarded-For: ${network}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), afterMs);
}

const attacker = (n: number): string => `203.0.113.${n + 1}`;

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;

async function post(url: string, n: number, message: string, replyTo?: string): Promise<string> {
  const network = `192.0.2.${Math.floor(n / POSTS_PER_NETWORK) + 1}`;
  const headers = { 'X-Forwarded-For': network };
  const response = await postJson(`${url}/api/feed`, { message, replyTo }, headers);
  return ((await response.json()) as { id: string }).id;
}

async function fill(url: string): Promise<{ thread: string; small: string }> {
  let n = 0;
  const thread = await post(url, n++, COSTLY_MARKDOWN);
  for (; n < COSTLY_POSTS; n++) await post(url, n, COSTLY_MARKDOWN, thread);
  const small = await post(url, n++, 'IDEA: a small thread');
  for (let long = 0; long < LONG_POSTS; long++) await post(url, n++, LONG_TEXT);
  return { thread, small };
}

async function attackWith(
  { name, hangUpMs, request }: Attack,
  networks: keyof typeof GOALS,
  { sandbox, tally, isShort }: ScenarioOptions,
): Promise<string> {
  const server = await sandbox.serve({
    DATA_DIR: await sandbox.createFolder(),
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const { thread, small } = await fill(server.url);
  const before = residentBytes(server.pid);
  const bystander = await startBystander(sandbox, server.url, {
    intervalMs: 100,
    kinds: ['search', 'page', 'post', 'health'],
    post: small,
  });
  let peak = before;
  const end = performance.now() + (isShort ? SHORT_SECONDS : SECONDS) * 1000;
  for (let n = 0; performance.now() < end; n++) {
    for (let network = 0; network < networks; network++)
      hangUp(server.url, request(n * networks + network, thread), attacker(network), hangUpMs);
    peak = Math.max(peak, residentBytes(server.pid));
    await sleep(1000 / READS_A_SECOND);
  }
  const observed = await bystander();
  const row = `${name} of ${networks}`;
  for (const [kind, goal] of Object.entries(GOALS[networks])) {
    const { requests, failed, p99 } = observed[kind as keyof typeof observed];
    tally.expect(
      requests > 0 && failed === 0,
      `${row}: ${failed} of ${requests} requests of kind ${kind} failed`,
    );
    tally.expectFast(p99 <= TOLERANCE * goal, `${row}: p99 of ${kind} was ${p99} s`);
  }
  tally.expect(peak - before <= TOLERANCE * GROWTH_GOAL, `${row}: ${megabytes(peak - before)} more resident`);
  tally.expect((await server.end('SIGTERM')) === 0, `${row}: the server did not stop cleanly`);
  const { search, page, post: posts, health } = observed;
  return `${row}: search ${search.p99} s, page ${page.p99}, post ${posts.p99}, health ${health.p99}, +${megabytes(peak - before)}`;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { tally, log, isShort } = options;
  const remarks: string[] = [];
  for (const networks of [1, 20] as const) {
    for (const attack of isShort ? ATTACKS.slice(-1) : ATTACKS) {
      const remark = await attackWith(attack, networks, options);
      log(remark);
      remarks.push(remark);
      tally.rounds += 1;
    }
  }
  return tally.outcome(remarks.join('; '));
}

export const hangUps: Scenario = {
  name: 'hang-ups',
  description:
    'reads that cost most, of 1 and of 20 networks, whose clients close the connection: bystanders are served, memory stays',
  requirements: ['procfs'],
  rounds: 1,
  maxSecondsPerRound: 900,
  run,
};
