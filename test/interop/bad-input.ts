import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../torture/support/time.ts';
import { CONNECT, type LenientClient } from './bad-input-clients.ts';
import type { Verdict } from './client.ts';
import { InteropService, type Endpoint } from './service.ts';

/** What became of one kind of bad input over one transport. */
export interface BadInputRow {
  readonly input: string;
  readonly transport: string;
  readonly revision: string;
  /** Passed: the service answered as the protocol has it, and then a good call. */
  readonly outcome: Verdict;
  readonly remark: string;
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly [{ readonly text: string }];
  readonly structuredContent?: { readonly ignored?: readonly string[] };
}

interface BadInput {
  readonly name: string;
  /** @returns what happened; undefined if the client has no such call. @throws Error if it got no answer */
  readonly send: (client: LenientClient, message: string) => Promise<string | undefined>;
}

const TIMEOUT_SECONDS = 30;
const CANCEL_AFTER_MS = 1000;

async function call(client: LenientClient, name: string, args: Record<string, unknown>): Promise<string> {
  const { isError, content, structuredContent } = (await client.call(name, args)) as ToolResult;
  if (isError === true) {
    const { code, detail } = JSON.parse(content[0].text) as { code: string; detail: string };
    return `refused: \`${code}\`, "${detail}"`;
  }
  const { ignored = [] } = structuredContent ?? {};
  return ignored.length === 0 ? 'accepted' : `accepted with \`ignored\`: \`${JSON.stringify(ignored)}\``;
}

/** The service allows one wait at a time, so a second shows whether the first has ended. */
async function cancel(client: LenientClient): Promise<string> {
  const abort = new AbortController();
  const waiting = client.call('wait_for_messages', { waitSeconds: 240 }, abort.signal).then(
    () => 'it got a result',
    () => 'the client gave it up',
  );
  await sleep(CANCEL_AFTER_MS);
  abort.abort('cancelled');
  const happened = await waiting;
  await sleep(CANCEL_AFTER_MS);
  const next = await call(client, 'wait_for_messages', { waitSeconds: 1 });
  const end = next.startsWith('accepted') ? 'ended' : 'went on';
  return `${happened}, and its wait ${end} in the service`;
}

const INPUTS: readonly BadInput[] = [
  {
    name: 'an unknown key to `read_feed`',
    send: (client) => call(client, 'read_feed', { limit: 5, colour: 'red' }),
  },
  {
    name: 'an unknown key to `post_message`',
    send: (client, message) => call(client, 'post_message', { message, colour: 'red' }),
  },
  {
    name: '`null` for optional arguments of `read_feed`',
    send: (client) => call(client, 'read_feed', { before: null, limit: null, q: null }),
  },
  {
    name: '`null` for optional arguments of `post_message`',
    send: (client, message) =>
      call(client, 'post_message', { replyTo: null, name: null, idempotencyKey: null, message }),
  },
  {
    name: 'a string for a number: `{"limit":"5"}`',
    send: (client) => call(client, 'read_feed', { limit: '5' }),
  },
  {
    name: 'a second `initialize`',
    send: async ({ initialize }) =>
      initialize && `answered as the first was, with revision ${await initialize()}`,
  },
  { name: 'a cancellation in the middle of `wait_for_messages`', send: cancel },
];

async function rowOf(
  { name, send }: BadInput,
  client: LenientClient,
  { transport, revision }: Endpoint,
): Promise<readonly BadInputRow[]> {
  const row = { input: name, transport, revision: await revision() };
  try {
    const message = `${name} over ${transport} in ${row.revision}`;
    const happened = await withTimeout(TIMEOUT_SECONDS, name, send(client, message));
    if (happened === undefined) return [];
    const feed = await withTimeout(TIMEOUT_SECONDS, 'the next call', client.call('read_feed', {}));
    const isFeed = InteropService.isFeed(JSON.stringify(feed));
    return [
      {
        ...row,
        outcome: isFeed ? 'passed' : 'FAILED',
        remark: isFeed ? happened : `${happened}; then no feed`,
      },
    ];
  } catch (error) {
    return [{ ...row, outcome: 'FAILED', remark: String(error) }];
  }
}

/**
 * Sends what a client ought not to send, by the SDKs among the packages of the project.
 * @param service that allows one wait at a time
 */
export async function badInputRows(service: InteropService): Promise<readonly BadInputRow[]> {
  const rows: BadInputRow[] = [];
  for (const connect of CONNECT)
    for (const endpoint of await service.endpoints()) {
      const client = await connect(endpoint);
      for (const input of INPUTS) rows.push(...(await rowOf(input, client, endpoint)));
      await client.close();
    }
  return rows;
}
