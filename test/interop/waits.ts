import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientContext, WaitRow, WaitRun } from './client.ts';
import type { Endpoint } from './service.ts';

/** What a client reports of its call of wait_for_messages. */
export interface WaitReport {
  readonly response?: string;
  readonly seconds?: number;
  /** Notices of progress; undefined if the client does not show them. */
  readonly notices?: number;
  readonly error?: string;
}

/** Beside the wait: the start of the client and of a stdio server, among the others. */
const START_SECONDS = 120;

/** How much longer than asked for a call may take. */
const MAX_DELAY_SECONDS = 15;

/** Between the starts of two clients, since each starts a process or two. */
const START_INTERVAL_MS = 3000;

/** The end of a wait without a message, in JSON or in JSON within JSON. */
const TIMED_OUT = /"timedOut\\*":\s*true/;

/** @param use lets the client call wait_for_messages; it takes the seconds after which the client is stopped */
export function waitRun(
  client: string,
  { version }: ClientContext,
  endpoint: Endpoint,
  seconds: number,
  use: (timeout: number) => Promise<WaitReport>,
): WaitRun {
  return async () => {
    const report = await use(seconds + START_SECONDS).catch((error: unknown) => ({ error: String(error) }));
    return {
      client,
      version,
      transport: endpoint.transport,
      revision: await endpoint.revision(),
      seconds,
      ...outcomeOf(report, seconds),
    };
  };
}

function outcomeOf(
  { response = '', seconds = 0, notices, error }: WaitReport,
  asked: number,
): Pick<WaitRow, 'wait' | 'remark'> {
  const isWhole = seconds >= asked - 1 && seconds <= asked + MAX_DELAY_SECONDS;
  return {
    wait: error === undefined && isWhole && TIMED_OUT.test(response) ? 'passed' : 'FAILED',
    remark: [
      `${seconds.toFixed(1)} s`,
      ...(notices === undefined || notices === 0 ? [] : [`${notices} notices of progress`]),
      ...(error === undefined ? [] : [error]),
    ].join(', '),
  };
}

/** Lets all clients wait at the same time. Nothing is posted meanwhile. */
export async function runWaits(runs: readonly WaitRun[]): Promise<readonly WaitRow[]> {
  return Promise.all(
    runs.map(async (run, index) => {
      await sleep(index * START_INTERVAL_MS);
      return run();
    }),
  );
}
