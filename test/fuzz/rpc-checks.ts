import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import type { Allowed } from './contract.ts';
import {
  assertNothingInside,
  judgeFailure,
  judgeProblem,
  judgeRpcError,
  saidIn,
  type Said,
} from './error-checks.ts';
import { readJson, type Sending } from './requests.ts';

interface Reply {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A message as it was asked. */
export interface Asked {
  id?: unknown;
  method?: unknown;
  params?: { name?: unknown; arguments?: Record<string, unknown> | null; _meta?: object };
}

/** An answer of /mcp: a refusal with a problem in it, or what the protocol itself answers. */
export function judgeCall(
  tools: readonly AnyTool[],
  sending: Sending,
  told: HttpResponse,
  allowed: Allowed,
): void {
  assert.match(told.header('Content-Type'), /^application\/json/);
  const reply = told.json as Reply;
  const said = saidIn(sending);
  if (told.status === 200) {
    judgeReply(tools, reply, readJson(sending.body!) as Asked, said);
    return;
  }
  if (isOfNewerEra(sending) && (reply.error?.data as { status?: number } | undefined)?.status === undefined) {
    judgeRefusal(reply, readJson(sending.body!) as Asked, told.status);
    return;
  }
  assert.deepEqual([reply.jsonrpc, reply.id, 'result' in reply], ['2.0', null, false]);
  assert.deepEqual(Object.keys(reply.error!), ['code', 'message', 'data'], told.text);
  assert.ok([-32700, -32600, -32000].includes(reply.error!.code), `code ${reply.error!.code}`);
  judgeProblem(reply.error!.data as Record<string, unknown>, told, allowed, said);
  judgeRpcError({ ...reply.error, data: undefined }, said);
}

/** Named in a message of the era that refuses in words of its own. */
export const REVISION = 'io.modelcontextprotocol/protocolVersion';

/** Whether the revision without a handshake is named, in the message or beside it. */
function isOfNewerEra({ headers, body = Buffer.alloc(0) }: Sending): boolean {
  return (
    body.includes(REVISION) ||
    headers.some(([name, value]) => name.toLowerCase() === 'mcp-protocol-version' && value.includes('2026'))
  );
}

/** The newer era refuses what is wrong with its envelope as JSON-RPC, with the id of the request and a status. */
const REFUSALS: Readonly<Record<number, number>> = {
  [-32600]: 400,
  [-32601]: 404,
  [-32602]: 400,
  [-32020]: 400,
  [-32022]: 400,
};

/** An id as JSON.stringify writes it: -0 comes back as 0. */
const rewritten = (id: unknown): unknown => JSON.parse(JSON.stringify(id ?? null));

function judgeRefusal({ jsonrpc, id, error, ...more }: Reply, asked: Asked, status: number): void {
  assert.deepEqual([jsonrpc, id, Object.keys(more)], ['2.0', rewritten(asked.id), []]);
  assert.equal(REFUSALS[error!.code], status, JSON.stringify(error));
  assertNothingInside(error!.message);
}

/** What answers a request that was read, whichever way it went. */
export function judgeReply(
  tools: readonly AnyTool[],
  reply: Reply,
  { id, method, params }: Asked,
  said: Said,
): void {
  assert.deepEqual([reply.jsonrpc, reply.id], ['2.0', rewritten(id)]);
  if (reply.error !== undefined) {
    assert.equal('result' in reply, false);
    if (REVISION in (params?._meta ?? {})) assertNothingInside(reply.error.message);
    else judgeRpcError(reply.error, said);
    return;
  }
  assert.equal(typeof reply.result, 'object');
  const tool = tools.find(({ name }) => name === params?.name);
  if (method === 'tools/call') judgeResult(tool!, reply.result!, said);
  if (method === 'resources/read') JSON.parse((reply.result!['contents'] as { text: string }[])[0]!.text);
}

function judgeResult(
  tool: AnyTool,
  { content, structuredContent, isError }: Record<string, unknown>,
  said: Said,
): void {
  const [block, ...more] = content as { type: string; text: string }[];
  assert.deepEqual([block?.type, more], ['text', []]);
  const text = JSON.parse(block!.text) as Record<string, unknown>;
  if (isError === true) {
    assert.equal(structuredContent, undefined);
    assert.ok(
      ['invalid_request', ...tool.errors].includes(String(text['code'])),
      `${tool.name} does not tell of ${String(text['code'])}`,
    );
    assert.doesNotMatch(String(text['code']), /internal|storage|rate_limited/);
    judgeFailure(text as never, said);
    return;
  }
  assert.deepEqual(text, structuredContent);
  assert.equal(JSON.stringify(tool.output.parse(text)), block!.text);
}
