import { createRequire } from 'node:module';
import type { RunningServer } from './bench-context.ts';
import { readCpuSeconds } from './processes.ts';
import { measureInTurn, median } from './rounds.ts';

interface AutocannonResult {
  requests: { average: number; total: number };
  errors: number;
  non2xx: number;
}

/** The requests of a load test. */
export interface Request {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections?: number;
  /** The expected status. */
  readonly status?: number;
}

export interface Sample {
  readonly perSecond: number;
  /** Processor time of the server per request. */
  readonly cpuMicroseconds: number;
}

const require = createRequire(new URL('peers/package.json', import.meta.url));

/** Sends requests over many connections for some seconds. @throws Error if a response was wrong */
export async function load({ url, pid }: RunningServer, request: Request, seconds: number): Promise<Sample> {
  const { path, method = 'GET', headers = {}, body, connections = 50, status = 200 } = request;
  const autocannon = require('autocannon') as (options: object) => Promise<AutocannonResult>;
  const before = readCpuSeconds(pid);
  const run = await autocannon({
    url,
    requests: [{ path }],
    method,
    headers,
    body,
    connections,
    duration: seconds,
  });
  const used = readCpuSeconds(pid) - before;
  const wrong = run.errors + (status < 300 ? run.non2xx : 0);
  if (wrong > 0) throw new Error(`${wrong} responses of ${url} ${method} ${path} were wrong`);
  return {
    perSecond: run.requests.average,
    cpuMicroseconds: (used / run.requests.total) * 1e6,
  };
}

/** Runs the measurements in turn. @returns the medians of each */
export async function interleave(
  rounds: number,
  measurements: Readonly<Record<string, () => Promise<Sample>>>,
): Promise<Record<string, Sample>> {
  const samples = await measureInTurn(rounds, measurements);
  return Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      {
        perSecond: median(list.map((one) => one.perSecond)),
        cpuMicroseconds: median(list.map((one) => one.cpuMicroseconds)),
      },
    ]),
  );
}
