import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from './sandbox.ts';
import { timedRequest, type TimedResponse } from './sockets.ts';
import { withTimeout } from './time.ts';

const THIS_FILE = fileURLToPath(import.meta.url);
const MAX_REQUESTS = 10_000;

/** Latencies in seconds of a client that takes no part in the attack. */
export interface Latencies {
  readonly requests: number;
  readonly failed: number;
  readonly p99: number;
  readonly worst: number;
}

/**
 * Reads repeatedly over new connections, in a process of its own so that nothing else delays it.
 * @returns a function that stops it
 */
export async function startBystander(
  sandbox: Sandbox,
  url: string,
  intervalMs: number,
): Promise<() => Promise<Latencies>> {
  const child = fork(THIS_FILE, [url, String(intervalMs)], { execArgv: ['--import', 'tsx'] });
  sandbox.defer(() => child.kill('SIGKILL'));
  const responses: TimedResponse[] = [];
  await withTimeout(60, 'the start of the bystander', once(child, 'message'));
  child.on('message', (response: TimedResponse) => responses.push(response));
  return async () => {
    child.send('enough');
    await withTimeout(60, 'the exit of the bystander', once(child, 'close'));
    const failed = responses.filter(({ status }) => status !== 200).length;
    const sorted = responses.map(({ seconds }) => seconds).sort((a, b) => a - b);
    return {
      requests: responses.length,
      failed,
      p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
      worst: sorted.at(-1) ?? 0,
    };
  };
}

async function readRepeatedly(url: string, intervalMs: number): Promise<void> {
  const stop = new AbortController();
  process
    .once('message', () => {
      stop.abort();
    })
    .once('disconnect', () => process.exit());
  process.send?.('started');
  const requests: Promise<unknown>[] = [];
  while (!stop.signal.aborted && requests.length < MAX_REQUESTS) {
    requests.push(timedRequest(url, 'GET', '/api/feed?limit=1').then((response) => process.send?.(response)));
    await sleep(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  await Promise.all(requests);
  process.disconnect();
}

if (process.argv[1] === THIS_FILE) await readRepeatedly(process.argv[2]!, Number(process.argv[3]));
