import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Place } from './sandbox.ts';
import { ask, type Answer } from './sockets.ts';
import { within } from './time.ts';

const HERE = fileURLToPath(import.meta.url);
const MOST_ASKED = 10_000;

/** Latencies, in seconds, of a client that has nothing to do with the attack. */
export interface Seen {
  readonly asked: number;
  readonly unanswered: number;
  readonly p99: number;
  readonly worst: number;
}

/**
 * Reads over a new connection each time, again and again, in a process of its own, so that it waits for nothing but
 * the service.
 * @returns how to end it
 */
export async function watchAsBystander(
  place: Place,
  url: string,
  everyMs: number,
): Promise<() => Promise<Seen>> {
  const child = fork(HERE, [url, String(everyMs)], { execArgv: ['--import', 'tsx'] });
  place.defer(() => child.kill('SIGKILL'));
  const answers: Answer[] = [];
  await within(60, 'starting a bystander', once(child, 'message'));
  child.on('message', (answer: Answer) => answers.push(answer));
  return async () => {
    child.send('enough');
    await within(60, 'the end of a bystander', once(child, 'close'));
    const unanswered = answers.filter(({ status }) => status !== 200).length;
    const sorted = answers.map(({ seconds }) => seconds).sort((a, b) => a - b);
    return {
      asked: answers.length,
      unanswered,
      p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
      worst: sorted.at(-1) ?? 0,
    };
  };
}

async function look(url: string, everyMs: number): Promise<void> {
  const enough = new AbortController();
  process
    .once('message', () => {
      enough.abort();
    })
    .once('disconnect', () => process.exit());
  process.send?.('here');
  const asked: Promise<unknown>[] = [];
  while (!enough.signal.aborted && asked.length < MOST_ASKED) {
    asked.push(ask(url, 'GET', '/api/feed?limit=1').then((answer) => process.send?.(answer)));
    await sleep(everyMs, undefined, { signal: enough.signal }).catch(() => undefined);
  }
  await Promise.all(asked);
  process.disconnect();
}

if (process.argv[1] === HERE) await look(process.argv[2]!, Number(process.argv[3]));
