import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JSONRPCMessageSchema, RequestIdSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { loadTools } from '../../tools/load.ts';
import type { FuzzOptions } from './campaign.ts';
import { isProtocolMethod } from './mcp-requests.ts';
import { hostileMessages } from './requests.ts';
import { textsInBody } from './error-checks.ts';
import { checkRpcResponse, type RpcRequest } from './rpc-checks.ts';
import { formatBytes } from './http-request.ts';
import { StdioSession, type InputScript } from './stdio-session.ts';

const MAX_LINES = 4;
const MEAN_LINES = 2;
/** Time for cancelled requests to end. */
const PAUSE_MS = 200;

const scripts = (tools: readonly AnyTool[]): fc.Arbitrary<InputScript> =>
  fc.record({
    bytes: fc
      .array(fc.tuple(hostileMessages(tools), fc.constantFrom('\n', '\n', '\r\n', '\n\n', '')), {
        minLength: 1,
        maxLength: MAX_LINES,
      })
      .map((lines) => Buffer.concat(lines.flatMap(([line, end]) => [line, Buffer.from(end)]))),
    cuts: fc.array(fc.nat(), { maxLength: 5 }),
  });

interface Lines {
  /** The lines that are JSON-RPC messages. */
  readonly messages: RpcRequest[];
  /** The lines that are not, but have a method and an id: they are refused. */
  readonly refused: RpcRequest[];
}

function linesIn(bytes: Buffer): Lines {
  const lines: Lines = { messages: [], refused: [] };
  for (const line of bytes.toString().split('\n')) {
    const value = parseJson(line.replace(/\r$/, ''));
    const parsed = JSONRPCMessageSchema.safeParse(value);
    const { id, method } = Object(value) as RpcRequest;
    if (parsed.success) lines.messages.push(parsed.data as RpcRequest);
    else if (method !== undefined && RequestIdSchema.safeParse(id).success)
      lines.refused.push({ id, method });
  }
  return lines;
}

/** @returns undefined if the text is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function checkScript(
  session: StdioSession,
  tools: readonly AnyTool[],
  script: InputScript,
): Promise<RpcRequest[]> {
  const { messages, refused } = linesIn(script.bytes);
  // A cancelled request gets no response, and a listen request gets one when it ends.
  const expectsNoResponse = messages.some(
    ({ method }) => method === 'notifications/cancelled' || method === 'subscriptions/listen',
  );
  const requests = messages.filter((message) => 'method' in message && 'id' in message);
  const answered = [...requests, ...refused];
  // Subscriptions add notifications between the responses.
  const responses = (await session.send(script, expectsNoResponse ? [] : answered)).filter(
    (one) => !('method' in one),
  );
  const sentTexts = (): string[] => [
    ...textsInBody(script.bytes),
    ...messages.flatMap((message) => textsInBody(Buffer.from(JSON.stringify(message)))),
  ];
  for (const response of responses) {
    const matching = answered.filter(({ id }) => id === response.id);
    assert.ok(matching.length > 0, `no request for ${JSON.stringify(response).slice(0, 300)}`);
    if (matching.length > 1) continue;
    checkRpcResponse(tools, response as never, matching[0]!, sentTexts);
    if (refused.includes(matching[0]!)) assert.equal(response.error?.code, -32600);
  }
  if (expectsNoResponse) await session.pause(PAUSE_MS);
  else assert.equal(responses.length, answered.length, 'each request has one response');
  return requests;
}

/** Fuzzes the product over stdio. */
export async function fuzzStdio({ campaign, tally, seed, requests, deadlineMs }: FuzzOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-fuzz-'));
  const tools = await loadTools();
  let session = await StdioSession.start(folder, deadlineMs);
  await campaign.check(
    { part: 'stdio', seed, runs: Math.ceil(requests / MEAN_LINES) },
    scripts(tools),
    async (script) => {
      try {
        for (const { method } of await checkScript(session, tools, script))
          tally.add('(stdio)', isProtocolMethod(method) ? String(method) : 'other');
      } catch (error) {
        session.kill();
        session = await StdioSession.start(folder, deadlineMs);
        throw error;
      }
    },
    ({ bytes, cuts }) => `${formatBytes(bytes)} cut at ${cuts.join(', ')}`,
  );
  await campaign.checkAtEnd('stdio', seed, () => session.end());
  await rm(folder, { recursive: true });
}
