import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureInTurn, median } from './measure.ts';
import { readCpuSeconds, type RunningServer } from './programs.ts';

export interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a POST; without one it is a GET. */
  readonly body?: string;
  /** The expected status. */
  readonly status?: number;
}

export interface Sample {
  readonly perSecond: number;
  /** Processor time of the server for a request. */
  readonly cpuMicroseconds: number;
}

interface AutocannonResult {
  readonly requests: { readonly average: number; readonly total: number };
  readonly statusCodeStats: Readonly<Record<number, { readonly count: number }>>;
  readonly errors: number;
}

const require = createRequire(new URL('peers/package.json', import.meta.url));

/** A request to publish a message. */
export function postOf(message: string, replyTo?: string): Request {
  const headers = { 'Content-Type': 'application/json' };
  return { path: '/api/feed', headers, body: JSON.stringify({ message, replyTo }), status: 201 };
}

export const MESSAGE = 'RESULT: a list of the opening hours of the town libraries, with sources. '.repeat(6);

/** Begins a thread. */
export const POST = postOf(MESSAGE);

const CONNECTIONS = 50;

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';
const HTTP_STATUS = 'HTTP/1.1 000';

/**
 * A connection with one request at a time, for times below a millisecond, which autocannon rounds, and for
 * thousands of calls that wait. An HTTP client of Node would take longer than the server.
 */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #onResponse: ((response: string) => void) | undefined;
  #onError: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      if (isComplete(this.#received)) this.#onResponse?.(this.#received);
    });
    socket.on('error', (error) => this.#onError?.(error));
    socket.on('close', () => this.#onError?.(new Error('the server closed a connection')));
  }

  static async open({ url }: RunningServer): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new Connection(socket);
  }

  /** Settles with the last byte of the response. @returns its head and body, a character for each byte */
  async send({ path, headers = {}, body = '', status = 200 }: Request): Promise<string> {
    const all = { Host: 'localhost', ...headers, 'Content-Length': Buffer.byteLength(body) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const response = await new Promise<string>((resolve, reject) => {
      this.#onResponse = resolve;
      this.#onError = reject;
      if (this.#socket.destroyed) reject(new Error('the server has closed the connection'));
      this.#received = '';
      this.#socket.write(`${body === '' ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    });
    assert.equal(response.slice(0, HTTP_STATUS.length), HTTP_STATUS.replace('000', String(status)));
    return response;
  }

  close(): void {
    this.#onError = undefined;
    this.#socket.destroy();
  }
}

function isComplete(response: string): boolean {
  const end = response.indexOf(HEAD_END);
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end))?.[1];
  // A wait of more than 15 seconds has begun to send its response in chunks.
  return length === undefined
    ? response.endsWith(LAST_CHUNK)
    : response.length >= end + HEAD_END.length + Number(length);
}

/** Sends the requests in turn, again and again, over many connections. @throws Error if a response was wrong */
export async function load(
  server: RunningServer,
  requests: Request | readonly Request[],
  seconds: number,
  connections = CONNECTIONS,
): Promise<Sample> {
  const before = readCpuSeconds(server.pid);
  const sent = await fire(server, [requests].flat(), { connections, duration: seconds });
  const used = readCpuSeconds(server.pid) - before;
  return { perSecond: sent.average, cpuMicroseconds: (used / sent.total) * 1e6 };
}

/** Of a server before its rows of posts are measured: by then the compiler has settled. */
const WARM_UP_POSTS = 10_000;

/** Sends posts that are not measured. */
export async function warmUp(
  server: RunningServer,
  requests: Request | readonly Request[] = POST,
): Promise<void> {
  await fire(server, [requests].flat(), { connections: CONNECTIONS, amount: WARM_UP_POSTS });
}

async function fire(
  { url }: RunningServer,
  requests: readonly Request[],
  options: { readonly connections: number; readonly duration?: number; readonly amount?: number },
): Promise<AutocannonResult['requests']> {
  const autocannon = require('autocannon') as (options: object) => Promise<AutocannonResult>;
  const sent = requests.map(({ path, headers = {}, body }) => {
    return { method: body === undefined ? 'GET' : 'POST', path, headers, body };
  });
  let clients = 0;
  const result = await autocannon({
    url,
    ...options,
    // Each connection begins at another request: otherwise all of them send the first ones only.
    setupClient: (client: { setRequests: (requests: object[]) => void }) => {
      const start = Math.floor((clients++ / options.connections) * sent.length) % sent.length;
      client.setRequests([...sent.slice(start), ...sent.slice(0, start)]);
    },
  });
  const { path, status = 200 } = requests[0]!;
  const wrong = result.requests.total - (result.statusCodeStats[status]?.count ?? 0) + result.errors;
  if (wrong > 0) throw new Error(`${wrong} responses of ${path} were wrong`);
  return result.requests;
}

/** Runs loads in turn. @returns the median of each */
export async function loadInTurn<Name extends string>(
  rounds: number,
  loads: Readonly<Record<Name, () => Promise<Sample>>>,
): Promise<Record<Name, Sample>> {
  const results = await measureInTurn(rounds, loads);
  const toMedian = (samples: Sample[]): Sample => ({
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    cpuMicroseconds: median(samples.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  });
  const names = Object.keys(results) as Name[];
  return Object.fromEntries(names.map((name) => [name, toMedian(results[name])])) as Record<Name, Sample>;
}

/**
 * Sends requests at a fixed rate, without waiting for responses.
 * @returns milliseconds of each response since the time at which its request was due
 */
export async function loadAtRate(
  server: RunningServer,
  request: Request,
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const idle: Connection[] = [];
  const start = performance.now();
  const times = await Promise.all(
    Array.from({ length: perSecond * seconds }, async (_, n) => {
      const due = start + (n / perSecond) * 1000;
      await sleep(due - performance.now());
      const connection = idle.pop() ?? (await Connection.open(server));
      await connection.send(request);
      idle.push(connection);
      return performance.now() - due;
    }),
  );
  for (const connection of idle) connection.close();
  return times;
}

/** Sends the request on one connection, with a pause after each response, until the work is done. */
export async function loadDuring(
  server: RunningServer,
  request: Request,
  pauseMs: number,
  work: Promise<unknown>,
): Promise<number[]> {
  const connection = await Connection.open(server);
  const times: number[] = [];
  const state = { isDone: false };
  const done = work.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    const sent = performance.now();
    await connection.send(request);
    times.push(performance.now() - sent);
    // A sleep of 0 ms would last one.
    if (pauseMs > 0) await sleep(pauseMs);
  }
  connection.close();
  await done;
  return times;
}
