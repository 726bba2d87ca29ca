import { createRequire } from 'node:module';
import type { Served } from './bench-context.ts';
import { processorSecondsOf } from './processes.ts';
import { inTurn, median } from './rounds.ts';

interface Cannon {
  requests: { average: number; total: number };
  errors: number;
  non2xx: number;
  latency: { p50: number; max: number };
}

/** What is asked of a server, again and again. */
export interface Request {
  /** Or where each request goes, one after another and from the first again; or a function that tells where the next one goes. */
  readonly path: string | readonly string[] | (() => string);
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections?: number;
  /** The status of a right answer. */
  readonly status?: number;
}

export interface Sample {
  readonly perSecond: number;
  /** Processor time of the server for each request, in microseconds. */
  readonly microseconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly longest: number;
}

const require = createRequire(new URL('peers/package.json', import.meta.url));

/** Asks over many connections, for some seconds. @throws where an answer was not right */
export async function load({ url, pid }: Served, request: Request, seconds: number): Promise<Sample> {
  const { path, method = 'GET', headers = {}, body, connections = 50, status = 200 } = request;
  const cannon = require('autocannon') as (options: object) => Promise<Cannon>;
  const before = processorSecondsOf(pid);
  const run = await cannon({
    url,
    requests: requestsTo(path),
    method,
    headers,
    body,
    connections,
    duration: seconds,
  });
  const used = processorSecondsOf(pid) - before;
  const wrong = run.errors + (status < 300 ? run.non2xx : 0);
  if (wrong > 0)
    throw new Error(`${wrong} answers of ${url} ${method} ${String(path).slice(0, 80)} were not right`);
  return {
    perSecond: run.requests.average,
    microseconds: (used / run.requests.total) * 1e6,
    p50: run.latency.p50,
    longest: run.latency.max,
  };
}

function requestsTo(path: Request['path']): object[] {
  if (typeof path === 'function')
    return [{ setupRequest: (request: object) => ({ ...request, path: path() }) }];
  return [path].flat().map((one) => ({ path: one }));
}

/** @returns the medians of what each measured */
export async function interleave(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<Sample>>>,
): Promise<Record<string, Sample>> {
  const samples = await inTurn(rounds, contenders);
  return Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      {
        perSecond: median(list.map((one) => one.perSecond)),
        microseconds: median(list.map((one) => one.microseconds)),
        p50: median(list.map((one) => one.p50)),
        longest: Math.max(...list.map((one) => one.longest)),
      },
    ]),
  );
}
