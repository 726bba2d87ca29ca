import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InitializeResultSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { withTimeout } from '../torture/support/time.ts';
import type { Verdict } from './client.ts';
import { InteropService, type Endpoint } from './service.ts';

/** What became of one kind of bad input over one transport. */
export interface BadInputRow {
  readonly input: string;
  readonly transport: string;
  /** Passed: the service answered as the protocol has it, and then a good call. */
  readonly outcome: Verdict;
  readonly remark: string;
}

interface BadInput {
  readonly name: string;
  /** @returns what happened. @throws Error if the call got no answer of the protocol */
  readonly send: (client: Client, message: string) => Promise<string>;
}

const TIMEOUT_SECONDS = 30;
const CANCEL_AFTER_MS = 1000;

/** Both surfaces of a refusal: `isError` in a result, and an error of JSON-RPC, which rejects. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [content] = result.content;
  const text = content?.type === 'text' ? content.text : '';
  if (result.isError === true) {
    const { code, detail } = JSON.parse(text) as { code: string; detail: string };
    return `refused: \`${code}\`, ${detail}`;
  }
  const { ignored } = result.structuredContent as { ignored?: readonly unknown[] };
  return `accepted${ignored === undefined ? '' : `, \`ignored\`: \`${JSON.stringify(ignored)}\``}`;
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
    send: async (client) => {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'interop', version: '1.0.0' },
      };
      const { protocolVersion } = await client.request(
        { method: 'initialize', params },
        InitializeResultSchema,
      );
      return `answered like the first, with revision ${protocolVersion}`;
    },
  },
  {
    name: 'a cancellation in the middle of `wait_for_messages`',
    send: async (client) => {
      const abort = new AbortController();
      const args = { name: 'wait_for_messages', arguments: { waitSeconds: 240 } };
      const waiting = client.callTool(args, undefined, { signal: abort.signal }).then(
        () => 'the call ended with a result',
        () => 'the client gave the call up',
      );
      await sleep(CANCEL_AFTER_MS);
      abort.abort('cancelled');
      return waiting;
    },
  },
];

async function connect({ target }: Endpoint): Promise<Client> {
  const client = new Client({ name: 'interop', version: '1.0.0' });
  await client.connect(
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url))
      : new StdioClientTransport({ command: target.command, args: [...target.args] }),
  );
  return client;
}

async function rowOf({ name, send }: BadInput, client: Client, transport: string): Promise<BadInputRow> {
  try {
    const happened = await withTimeout(TIMEOUT_SECONDS, name, send(client, `${name} over ${transport}`));
    const feed = await withTimeout(TIMEOUT_SECONDS, 'the next call', client.callTool({ name: 'read_feed' }));
    const isFeed = InteropService.isFeed(JSON.stringify(feed));
    return {
      input: name,
      transport,
      outcome: isFeed ? 'passed' : 'FAILED',
      remark: `${happened}; the next call ${isFeed ? 'worked' : 'returned no messages'}`,
    };
  } catch (error) {
    return { input: name, transport, outcome: 'FAILED', remark: String(error) };
  }
}

/** Sends what a client ought not to send, by the SDK among the packages of the project. */
export async function badInputRows(service: InteropService): Promise<readonly BadInputRow[]> {
  const rows: BadInputRow[] = [];
  for (const endpoint of await service.endpoints()) {
    const client = await connect(endpoint);
    for (const input of INPUTS) rows.push(await rowOf(input, client, endpoint.transport));
    await client.close();
  }
  return rows;
}
