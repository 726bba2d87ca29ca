import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { createMcpHandlers, type McpHandlers } from '#mcp/handlers/handlers.ts';
import type { MethodResult, Params } from '#mcp/protocol/methods.ts';
import { createSdkV2HttpHandler } from '#mcp/sdk/v2.ts';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { StreamLimiter } from '#mcp/transport/stream-limit.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { createStdioSdks } from '../../../../src/mcp-sdks.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { openTestWorkspace } from '../../../support/context.ts';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
};

type Answer = (params: Params) => MethodResult;

/** Handlers whose `tools/call` has this result. */
async function handlersWith(
  t: TestContext,
  answer: Answer,
): Promise<McpHandlers & { streamLimiter: StreamLimiter }> {
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const handlers = createMcpHandlers({ tools, workspace, results, report: () => undefined });
  return {
    ...handlers,
    handle: async (_, params) => answer(params),
    streamLimiter: new StreamLimiter(workspace.waitLimit, 1),
  };
}

interface Reply {
  readonly status?: number;
  readonly body: { readonly result?: MethodResult; readonly error?: object };
}

type Call = (params: Params) => Promise<Reply>;

/** @param name of the tool in the header Mcp-Name: encoded, the request goes through the HTTP transport of the SDK */
function overHttp(name: string) {
  return async (t: TestContext, answer: Answer): Promise<Call> => {
    const { streamLimiter, ...handlers } = await handlersWith(t, answer);
    const sdk = createSdkV2HttpHandler(handlers, { streamLimiter, report: () => undefined });
    t.after(() => sdk.close());
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    };
    return async (params) => {
      const response = await sdk.handle({
        request: { method: 'POST', url: '/mcp', headers } as unknown as IncomingMessage,
        message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        caller: { clientKey: '192.0.2.1' },
        clientClosed: new AbortController().signal,
      });
      return { status: response!.status, body: JSON.parse(response!.body as string) as Reply['body'] };
    };
  };
}

async function overStdio(t: TestContext, answer: Answer): Promise<Call> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const sdks = createStdioSdks(await handlersWith(t, answer));
  const { close } = serveStdio(sdks, () => undefined, input, output);
  const lines = createInterface({ input: output });
  t.after(async () => {
    input.end();
    await close();
  });
  return async (params) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    const [line] = (await once(lines, 'line')) as [string];
    return { body: JSON.parse(line) as Reply['body'] };
  };
}

const TRANSPORTS = {
  HTTP: overHttp('ask'),
  'HTTP with an encoded header': overHttp(`=?base64?${btoa('ask')}?=`),
  stdio: overStdio,
};

const REQUIRED = {
  resultType: 'input_required',
  inputRequests: { name: { method: 'elicitation/create', params: { message: 'Who?' } } },
  requestState: 'asked',
};

for (const [transport, connect] of Object.entries(TRANSPORTS)) {
  test(`over ${transport} a call reaches its handler with the parameters that the client sent`, async (t) => {
    let received: Params = {};
    const call = await connect(t, (params) => {
      received = params;
      return { content: [] };
    });
    const sent = {
      name: 'ask',
      arguments: { a: 1 },
      inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
      requestState: 'asked',
      _meta: { ...META, progressToken: 5 },
    };
    await call(sent);
    assert.deepEqual(received, sent);
  });

  test(`over ${transport} a result that requires input is sent as it is`, async (t) => {
    const call = await connect(t, () => REQUIRED);
    const { body } = await call({ name: 'ask', _meta: META });
    const { _meta: _serverInfo, ...result } = body.result!;
    assert.deepEqual(result, REQUIRED);
  });

  test(`over ${transport} malformed input responses do not reach the handler`, async (t) => {
    let received: Params = {};
    const call = await connect(t, (params) => {
      received = params;
      return { content: [] };
    });
    await call({ name: 'ask', inputResponses: { name: 5, other: { action: 'cancel' } }, _meta: META });
    assert.deepEqual(received['inputResponses'], { other: { action: 'cancel' } });
  });
}

for (const transport of ['HTTP', 'HTTP with an encoded header'] as const) {
  for (const [code, status] of [
    [-32021, 400],
    [-32602, 200],
  ] as const) {
    test(`over ${transport} an error ${code} of a handler has the status ${status}`, async (t) => {
      const call = await TRANSPORTS[transport](t, () => {
        throw Object.assign(new Error('refused'), { code, data: { requiredCapabilities: { roots: {} } } });
      });
      const reply = await call({ name: 'ask', _meta: META });
      const error = { code, message: 'refused', data: { requiredCapabilities: { roots: {} } } };
      assert.deepEqual([reply.status, reply.body.error], [status, error]);
    });
  }
}
