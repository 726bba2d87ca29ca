import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from './sandbox.ts';
import { timedRequest } from './timed-request.ts';
import { withTimeout } from './time.ts';

const THIS_FILE = fileURLToPath(import.meta.url);
const MAX_REQUESTS = 10_000;

interface BystanderRequest {
  readonly method: 'GET' | 'POST';
  /** `{post}` stands for the id of a post. */
  readonly path: string;
  readonly body?: string;
}

/** The kinds of requests. Words, parameters and texts are different each time, so that no cache answers. */
const REQUESTS = {
  newest: () => ({ method: 'GET', path: '/api/feed?limit=1' }),
  search: (n: number) => ({ method: 'GET', path: `/api/feed?q=word${n}` }),
  page: (n: number) => ({ method: 'GET', path: `/posts/{post}?x=${n}` }),
  post: (n: number) => ({
    method: 'POST',
    path: '/api/feed',
    body: JSON.stringify({ message: `visit ${n}` }),
  }),
  health: () => ({ method: 'GET', path: '/healthz' }),
} satisfies Record<string, (n: number) => BystanderRequest>;

type Kind = keyof typeof REQUESTS;

interface BystanderOptions {
  readonly intervalMs: number;
  /** Sent in turn at each interval. */
  readonly kinds: readonly Kind[];
  /** The id of a post, for pages. */
  readonly post?: string;
}

interface Observation {
  readonly kind: Kind;
  readonly status: number;
  readonly seconds: number;
}

/** Latencies of one kind of requests, in seconds. */
interface Latencies {
  readonly requests: number;
  readonly failed: number;
  readonly p99: number;
  readonly worst: number;
}

/**
 * Sends requests repeatedly, of other networks than the attack, over new connections, in a process of its own so that
 * nothing else delays them.
 * @returns a function that stops it
 */
export async function startBystander(
  sandbox: Sandbox,
  url: string,
  options: BystanderOptions,
): Promise<() => Promise<Record<Kind, Latencies>>> {
  const child = fork(THIS_FILE, [url, JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
  sandbox.after(() => child.kill('SIGKILL'));
  const observed: Observation[] = [];
  await withTimeout(60, 'the start of the bystander', once(child, 'message'));
  child.on('message', (observation: Observation) => observed.push(observation));
  return async () => {
    child.send('enough');
    await withTimeout(60, 'the exit of the bystander', once(child, 'close'));
    const kinds = Object.keys(REQUESTS) as Kind[];
    return Object.fromEntries(
      kinds.map((kind) => [kind, summarize(observed.filter((one) => one.kind === kind))]),
    ) as Record<Kind, Latencies>;
  };
}

function summarize(observed: readonly Observation[]): Latencies {
  const sorted = observed.map(({ seconds }) => seconds).sort((a, b) => a - b);
  return {
    requests: observed.length,
    failed: observed.filter(({ status }) => status !== 200 && status !== 201).length,
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    worst: sorted.at(-1) ?? 0,
  };
}

/** A network of its own for each round, so that no limit of publishing is reached. */
const networkOf = (n: number): string => `198.51.${100 + (n >> 8)}.${n & 255}`;

async function sendRepeatedly(
  url: string,
  { intervalMs, kinds, post = '' }: BystanderOptions,
): Promise<void> {
  const stop = new AbortController();
  process
    .once('message', () => {
      stop.abort();
    })
    .once('disconnect', () => process.exit());
  process.send?.('started');
  const running: Promise<unknown>[] = [];
  for (let n = 0; !stop.signal.aborted && running.length < MAX_REQUESTS; n++) {
    for (const kind of kinds) {
      const { method, path, body }: BystanderRequest = REQUESTS[kind](n);
      const headers = { 'X-Forwarded-For': networkOf(n) };
      running.push(
        timedRequest(url, method, path.replace('{post}', post), body, headers).then(({ status, seconds }) =>
          process.send?.({ kind, status, seconds }),
        ),
      );
    }
    await sleep(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  await Promise.all(running);
  process.disconnect();
}

if (process.argv[1] === THIS_FILE)
  await sendRepeatedly(process.argv[2]!, JSON.parse(process.argv[3]!) as BystanderOptions);
