import { setTimeout as sleep } from 'node:timers/promises';
import { createTerminal } from '#commands/terminal.ts';
import { wait, type WaitQuery } from '#commands/wait.ts';

export interface WaitFlags extends WaitQuery {
  readonly for: string;
}

/** Runs `wait`, which calls a service and opens no store. @throws UsageError, CommandError, NothingNew */
export async function runWait(url: string, { for: duration, ...query }: WaitFlags): Promise<void> {
  // Ctrl+C ends the process without cleanup.
  const terminal = createTerminal(new AbortController().signal);
  const fetchWithin = (address: URL, timeoutMs: number): Promise<Response> =>
    fetch(address, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
  const context = { fetch: fetchWithin, now: () => Date.now(), sleep };
  await wait({ url, query, duration }, context, terminal);
}
