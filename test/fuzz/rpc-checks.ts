import assert from 'node:assert/strict';
import type { AnyTool } from '#tool/define-tool.ts';
import type { HttpResponse } from '../support/http/send-request.ts';
import type { AllowedResponses } from './contract.ts';
import {
  assertNoInternals,
  checkFailure,
  checkProblem,
  checkRpcError,
  textsSentIn,
  type SentTexts,
} from './error-checks.ts';
import { readJson, type HttpRequest } from './http-request.ts';

interface RpcResponse {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** The request that a response belongs to. */
interface RpcRequest {
  id?: unknown;
  method?: unknown;
  params?: { name?: unknown; arguments?: Record<string, unknown> | null; _meta?: object };
}

/** Checks a response of /mcp: a JSON-RPC result or error, or a problem inside a JSON-RPC error. */
export function checkMcpResponse(
  tools: readonly AnyTool[],
  request: HttpRequest,
  response: HttpResponse,
  allowed: AllowedResponses,
): void {
  assert.match(response.header('Content-Type'), /^application\/json/);
  const message = response.json as RpcResponse;
  const sentTexts = textsSentIn(request);
  if (response.status === 200) {
    checkRpcResponse(tools, message, readJson(request.body!) as RpcRequest, sentTexts);
    return;
  }
  if (
    namesNewRevision(request) &&
    (message.error?.data as { status?: number } | undefined)?.status === undefined
  ) {
    checkEnvelopeError(message, readJson(request.body!) as RpcRequest, response.status);
    return;
  }
  assert.deepEqual([message.jsonrpc, message.id, 'result' in message], ['2.0', null, false]);
  assert.deepEqual(Object.keys(message.error!), ['code', 'message', 'data'], response.text);
  assert.ok([-32700, -32600, -32000].includes(message.error!.code), `code ${message.error!.code}`);
  checkProblem(message.error!.data as Record<string, unknown>, response, allowed, sentTexts);
  checkRpcError({ ...message.error, data: undefined }, sentTexts);
}

/** The `_meta` member of revision 2026-07-28, whose SDK writes the messages of envelope errors. */
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** Whether the message or a header names revision 2026-07-28. */
function namesNewRevision({ headers, body = Buffer.alloc(0) }: HttpRequest): boolean {
  return (
    body.includes(VERSION_META) ||
    headers.some(([name, value]) => name.toLowerCase() === 'mcp-protocol-version' && value.includes('2026'))
  );
}

/** HTTP statuses of envelope errors in revision 2026-07-28, by JSON-RPC code. */
const ENVELOPE_ERRORS: Readonly<Record<number, number>> = {
  [-32600]: 400,
  [-32601]: 404,
  [-32602]: 400,
  [-32020]: 400,
  [-32022]: 400,
};

/** @returns the id after JSON.stringify, which writes -0 as 0 */
const serializedId = (id: unknown): unknown => JSON.parse(JSON.stringify(id ?? null));

function checkEnvelopeError(
  { jsonrpc, id, error, ...more }: RpcResponse,
  rpcRequest: RpcRequest,
  status: number,
): void {
  assert.deepEqual([jsonrpc, id, Object.keys(more)], ['2.0', serializedId(rpcRequest.id), []]);
  assert.equal(ENVELOPE_ERRORS[error!.code], status, JSON.stringify(error));
  assertNoInternals(error!.message);
}

/** Checks the response to a parsed request, over any transport. */
function checkRpcResponse(
  tools: readonly AnyTool[],
  message: RpcResponse,
  { id, method, params }: RpcRequest,
  sentTexts: SentTexts,
): void {
  assert.deepEqual([message.jsonrpc, message.id], ['2.0', serializedId(id)]);
  if (message.error !== undefined) {
    assert.equal('result' in message, false);
    if (VERSION_META in (params?._meta ?? {})) assertNoInternals(message.error.message);
    else checkRpcError(message.error, sentTexts);
    return;
  }
  assert.equal(typeof message.result, 'object');
  const tool = tools.find(({ name }) => name === params?.name);
  if (method === 'tools/call') checkToolResult(tool!, message.result!, sentTexts);
  if (method === 'resources/read') JSON.parse((message.result!['contents'] as { text: string }[])[0]!.text);
}

function checkToolResult(
  tool: AnyTool,
  { content, structuredContent, isError }: Record<string, unknown>,
  sentTexts: SentTexts,
): void {
  const [block, ...more] = content as { type: string; text: string }[];
  assert.deepEqual([block?.type, more], ['text', []]);
  const text = JSON.parse(block!.text) as Record<string, unknown>;
  if (isError === true) {
    assert.equal(structuredContent, undefined);
    assert.ok(
      ['invalid_request', ...(tool.errors ?? [])].includes(String(text['code'])),
      `${tool.name} does not declare ${String(text['code'])}`,
    );
    assert.doesNotMatch(String(text['code']), /internal|storage|rate_limited/);
    checkFailure(text as never, sentTexts);
    return;
  }
  // The small endpoint sends the text alone.
  if (structuredContent !== undefined) assert.deepEqual(text, structuredContent);
  const { longText } = tool;
  const shape = longText === undefined ? tool.output : tool.output.omit({ [longText]: true } as never);
  assert.equal(JSON.stringify(shape.parse(text)), block!.text);
}
