import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from './sandbox.ts';
import { timedRequest } from './sockets.ts';
import { withTimeout } from './time.ts';

const THIS_FILE = fileURLToPath(import.meta.url);

const INTERVAL_MS = 100;

interface VisitRequest {
  readonly method: 'GET' | 'POST';
  /** `{post}` stands for the id of a post. */
  readonly path: string;
  readonly body?: string;
}

/** The kinds of requests, one of each at every interval. */
const REQUESTS = {
  // A word of its own each time, so that no cache answers.
  search: (n: number) => ({ method: 'GET', path: `/api/feed?q=word${n}` }),
  page: (n: number) => ({ method: 'GET', path: `/posts/{post}?x=${n}` }),
  post: (n: number) => ({
    method: 'POST',
    path: '/api/feed',
    body: JSON.stringify({ message: `visit ${n}` }),
  }),
  health: () => ({ method: 'GET', path: '/healthz' }),
} satisfies Record<string, (n: number) => VisitRequest>;

type RequestName = keyof typeof REQUESTS;

interface Observation {
  readonly name: RequestName;
  readonly status: number;
  readonly seconds: number;
}

/** Of one kind of requests. Times in seconds. */
export interface Visits {
  readonly count: number;
  readonly failed: number;
  readonly p99: number;
}

/** Requests of visitors from other networks than the attack, in a process of its own so that nothing else delays them. */
export async function startVisitors(
  sandbox: Sandbox,
  url: string,
  post: string,
): Promise<() => Promise<Record<RequestName, Visits>>> {
  const child = fork(THIS_FILE, [url, post], { execArgv: ['--import', 'tsx'] });
  sandbox.defer(() => child.kill('SIGKILL'));
  const observed: Observation[] = [];
  await withTimeout(60, 'the start of the visitors', once(child, 'message'));
  child.on('message', (observation: Observation) => observed.push(observation));
  return async () => {
    child.send('enough');
    await withTimeout(60, 'the exit of the visitors', once(child, 'close'));
    const names = Object.keys(REQUESTS) as RequestName[];
    return Object.fromEntries(
      names.map((name) => [name, summarize(observed.filter((one) => one.name === name))]),
    ) as Record<RequestName, Visits>;
  };
}

function summarize(observed: readonly Observation[]): Visits {
  const sorted = observed.map(({ seconds }) => seconds).sort((a, b) => a - b);
  return {
    count: observed.length,
    failed: observed.filter(({ status }) => status !== 200 && status !== 201).length,
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
  };
}

/** A network of its own for each round, so that no limit of publishing is reached. */
const networkOf = (n: number): string => `198.51.${100 + (n >> 8)}.${n & 255}`;

async function visit(url: string, post: string): Promise<void> {
  const stop = new AbortController();
  process
    .once('message', () => {
      stop.abort();
    })
    .once('disconnect', () => process.exit());
  process.send?.('started');
  const running: Promise<unknown>[] = [];
  for (let n = 0; !stop.signal.aborted; n++) {
    for (const [name, create] of Object.entries<(n: number) => VisitRequest>(REQUESTS)) {
      const { method, path, body } = create(n);
      const headers = { 'X-Forwarded-For': networkOf(n) };
      running.push(
        timedRequest(url, method, path.replace('{post}', post), body, headers).then(({ status, seconds }) =>
          process.send?.({ name, status, seconds }),
        ),
      );
    }
    await sleep(INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  await Promise.all(running);
  process.disconnect();
}

if (process.argv[1] === THIS_FILE) await visit(process.argv[2]!, process.argv[3]!);
