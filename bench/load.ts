import { createRequire } from 'node:module';
import { processorSecondsOf, type Served } from './lab.ts';

interface Cannon {
  requests: { average: number; total: number };
  errors: number;
  non2xx: number;
  latency: { p50: number; max: number };
}

/** What is asked of a server, again and again. */
export interface Request {
  readonly path: string;
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
  const run = await cannon({ url: url + path, method, headers, body, connections, duration: seconds });
  const used = processorSecondsOf(pid) - before;
  const wrong = run.errors + (status < 300 ? run.non2xx : 0);
  if (wrong > 0) throw new Error(`${wrong} answers of ${url}${path} were not right`);
  return { perSecond: run.requests.average, microseconds: used / run.requests.total * 1e6, p50: run.latency.p50, longest: run.latency.max };
}

/** @returns the middle one */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** Measures each in turn, several times over, so that what the machine does meanwhile hits all alike. */
export async function interleave(rounds: number, contenders: Readonly<Record<string, () => Promise<Sample>>>): Promise<Record<string, Sample>> {
  const samples: Record<string, Sample[]> = {};
  for (let round = -1; round < rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const sample = await measure();
      // The first round warms up.
      if (round >= 0) (samples[name] ??= []).push(sample);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, {
    perSecond: median(list.map((one) => one.perSecond)),
    microseconds: median(list.map((one) => one.microseconds)),
    p50: median(list.map((one) => one.p50)),
    longest: Math.max(...list.map((one) => one.longest)),
  }]));
}
