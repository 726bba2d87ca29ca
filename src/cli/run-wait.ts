import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '#commands/command.ts';
import { createTerminal } from '#commands/terminal.ts';
import { wait, type WaitQuery } from '#commands/wait.ts';
import { isNoKey } from '#workspace/schemas/fields.ts';
import { formatAuthorKey, parseAuthorKey } from '#workspace/text/author-key.ts';

export interface WaitFlags extends WaitQuery {
  readonly for: string;
}

/** Opens no store. @throws UsageError, CommandError */
export async function runWait(url: string, { for: duration, ...query }: WaitFlags): Promise<void> {
  // Ctrl+C ends the process without cleanup.
  const terminal = createTerminal(new AbortController().signal);
  const headers = toHeaders(process.env['PORCHLIGHT_AUTHOR_KEY']);
  const fetchWithin = (target: URL, timeoutMs: number): Promise<Response> =>
    fetch(target, { headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
  const context = { fetch: fetchWithin, now: () => Date.now(), sleep };
  await wait({ url, query, duration }, context, terminal);
}

/** @param authorKey from the environment: anyone on the machine can read arguments @throws UsageError */
function toHeaders(authorKey = ''): Record<string, string> {
  if (isNoKey(authorKey)) return {};
  const key = parseAuthorKey(authorKey);
  if ('digits' in key) return { Authorization: `Bearer ${formatAuthorKey(key.digits)}` };
  const what = 'an author key (plk- and 15 letters and digits)';
  throw new UsageError(`PORCHLIGHT_AUTHOR_KEY must be ${what}: copy it from the response that gave it.`);
}
