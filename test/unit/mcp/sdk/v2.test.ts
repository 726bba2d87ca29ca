import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import test, {} from 'node:test';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandlers } from '#mcp/handlers/handlers.ts';
import { createSdkV2HttpHandler } from '#mcp/sdk/v2.ts';
import { StreamLimiter } from '#mcp/transport/http.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { openListenStream } from '../../../support/mcp/listen-stream.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { MCP_ACCEPT, setUp, type TestApp } from '../../../support/http/test-app.ts';
import { assertRpcProblem } from '../../../support/http/problem.ts';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Deviation {
  headers?: Record<string, string | undefined>;
  meta?: Record<string, unknown> | undefined;
}

/** Sends a request with the headers and envelope of the revision, changed by the deviation. */
function send(
  { request }: TestApp,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, meta = META }: Deviation = {},
) {
  const name = params['name'] ?? params['uri'];
  const standard: Record<string, string | undefined> = {
    ...MCP_ACCEPT,
    'Mcp-Protocol-Version': VERSION,
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
    ...headers,
  };
  return request('POST /mcp', {
    headers: Object.fromEntries(
      Object.entries(standard).flatMap(([header, value]) => (value === undefined ? [] : [[header, value]])),
    ),
    body: {
      jsonrpc: '2.0',
      id: 7,
      method,
      params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    },
  });
}

test('server/discover has versions, capabilities and instructions, with a public cache hint of an hour', async (t) => {
  const app = await setUp(t);
  const { status, json } = await send(app, 'server/discover');
  assert.equal(status, 200);
  assert.deepEqual(json.result.supportedVersions, [VERSION]);
  assert.deepEqual(json.result.capabilities, {
    tools: {},
    resources: { subscribe: true },
    prompts: {},
    completions: {},
  });
  assert.match(json.result.instructions, /never an instruction/);
  assert.deepEqual([json.result.ttlMs, json.result.cacheScope], [3_600_000, 'public']);
});

const LISTS: [method: string, params: Record<string, unknown>, ttlMs: number][] = [
  ['tools/list', {}, 3_600_000],
  ['prompts/list', {}, 3_600_000],
  ['resources/list', {}, 3_600_000],
  ['resources/templates/list', {}, 3_600_000],
  ['resources/read', { uri: 'porchlight://feed' }, 1_000],
];

for (const [method, params, ttlMs] of LISTS) {
  test(`${method} has a public cache hint of ${ttlMs} ms and the same bytes at every call`, async (t) => {
    const app = await setUp(t);
    const { json } = await send(app, method, params);
    assert.deepEqual([json.result.ttlMs, json.result.cacheScope], [ttlMs, 'public']);
    assert.equal((await send(app, method, params)).text, (await send(app, method, params)).text);
  });
}

test('the discovery document lists the protocol versions that the SDKs serve', async (t) => {
  const { json } = await (await setUp(t)).request('GET /.well-known/porchlight.json');
  assert.deepEqual(json.mcp.protocolVersions, [VERSION, ...SUPPORTED_PROTOCOL_VERSIONS]);
});

test('the result of tools/call has no cache hint', async (t) => {
  const { json } = await send(await setUp(t), 'tools/call', { name: 'read_feed', arguments: {} });
  assert.equal(json.result.resultType, 'complete');
  assert.ok(!('ttlMs' in json.result));
});

const REFUSED: Record<
  string,
  [method: string, params: Record<string, unknown>, deviation: Deviation, status: number, code: number]
> = {
  'another revision in body and header': [
    'tools/list',
    {},
    {
      headers: { 'Mcp-Protocol-Version': '2099-01-01' },
      meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    },
    400,
    -32022,
  ],
  'a header of another revision than the body': [
    'tools/list',
    {},
    { headers: { 'Mcp-Protocol-Version': '2025-11-25' } },
    400,
    -32020,
  ],
  'no _meta': ['tools/list', {}, { meta: {} }, 400, -32602],
  'a _meta without the capabilities of the client': [
    'tools/list',
    {},
    { meta: { 'io.modelcontextprotocol/protocolVersion': VERSION } },
    400,
    -32602,
  ],
  'a header of another method': [
    'tools/list',
    {},
    { headers: { 'Mcp-Method': 'prompts/list' } },
    400,
    -32020,
  ],
  'a header of another tool': [
    'tools/call',
    { name: 'read_feed' },
    { headers: { 'Mcp-Name': 'post_message' } },
    400,
    -32020,
  ],
  'no header of the method': ['tools/list', {}, { headers: { 'Mcp-Method': undefined } }, 400, -32020],
  'an unknown method': ['tools/dance', {}, {}, 404, -32601],
  'a method of other revisions only': ['ping', {}, {}, 404, -32601],
  'a subscription of older revisions': ['resources/subscribe', { uri: 'porchlight://feed' }, {}, 404, -32601],
  'an unknown tool': ['tools/call', { name: 'nothing' }, {}, 200, -32602],
  'an unknown resource': ['resources/read', { uri: 'porchlight://nothing' }, {}, 200, -32602],
  'a resource of an unknown post': ['resources/read', { uri: 'porchlight://posts/post_x' }, {}, 200, -32602],
  'subscriptions/listen without notifications': ['subscriptions/listen', {}, {}, 200, -32602],
};

for (const [what, [method, params, deviation, status, code]] of Object.entries(REFUSED)) {
  test(`${what} is error ${code} with status ${status} and the id of the request`, async (t) => {
    const response = await send(await setUp(t), method, params, deviation);
    assert.deepEqual(
      [response.status, response.json.error?.code, response.json.id],
      [status, code, 7],
      response.text,
    );
    assert.doesNotMatch(response.text, /zod|node_modules|\bat \//);
  });
}

for (const uri of ['porchlight://nothing', 'porchlight://posts/post_x']) {
  for (const [what, headers] of Object.entries({
    'usual headers': {},
    'an Origin': { Origin: 'http://localhost' },
  })) {
    test(`the error for the unknown resource ${uri} has its URI in data, with ${what}`, async (t) => {
      const { json } = await send(await setUp(t), 'resources/read', { uri }, { headers });
      const { code, message, data } = json.error;
      assert.deepEqual([code, data], [-32602, { code: 'not_found', detail: message, uri }]);
    });
  }
}

test('the error for an unknown revision lists those that are served', async (t) => {
  const app = await setUp(t);
  const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const { json } = await send(
    app,
    'tools/list',
    {},
    { meta, headers: { 'Mcp-Protocol-Version': '2099-01-01' } },
  );
  assert.deepEqual(json.error.data, { supported: [VERSION], requested: '2099-01-01' });
  const response = await app.request('POST /mcp', {
    headers: { ...MCP_ACCEPT, 'Mcp-Protocol-Version': '2099-01-01' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  assertRpcProblem(response, 400, 'malformed_json', -32600);
  assert.match(response.text, /2026-07-28.*2025-11-25/);
});

test('a Content-Type that REST accepts is accepted', async (t) => {
  const { status, json } = await send(
    await setUp(t),
    'nothing',
    {},
    { headers: { 'Content-Type': 'application/json;charset="UTF-8", application/json' } },
  );
  assert.deepEqual([status, json.id, json.error.code], [404, 7, -32601]);
});

test('of 100 streams of one network 50 are served and the others are 429, and another network is served', async (t) => {
  const app = await setUp(
    t,
    {},
    { network: { trustedProxies: ['127.0.0.1'], ipv4Prefix: 32, ipv6Prefix: 64 } },
  );
  const listen = async (address: string): Promise<string> => {
    const { socket, head } = await openListenStream(app.url, ['porchlight://feed'], { address });
    t.after(() => socket.destroy());
    return head;
  };
  const responses = await Promise.all(Array.from({ length: 100 }, () => listen('192.0.2.1')));
  assert.equal(responses.filter((text) => text.startsWith('HTTP/1.1 200')).length, 50);
  const refused = responses.filter((text) => text.startsWith('HTTP/1.1 429'));
  assert.equal(refused.length, 50);
  assert.match(refused[0]!, /Retry-After: 60/i);
  assert.match(refused[0]!, /waitsPerNetwork/);
  assert.match(await listen('192.0.2.2'), /200 OK/);
  assert.equal((await app.request('GET /api/feed')).status, 200);
});

test('a client that disconnects before its stream opens counts against no limit', async (t) => {
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  const handlers = createMcpHandlers({
    tools,
    workspace,
    results: new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) }),
    report: () => undefined,
  });
  const streamLimiter = new StreamLimiter(workspace.waitLimit, 200);
  const sdk = createSdkV2HttpHandler(handlers, { streamLimiter, report: () => undefined });
  t.after(() => sdk.close());
  const headers = {
    ...MCP_ACCEPT,
    'content-type': 'application/json',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'subscriptions/listen',
  };
  const message = {
    jsonrpc: '2.0' as const,
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['porchlight://feed'] }, _meta: META },
  };
  const listen = (clientClosed: AbortSignal) =>
    sdk.judge({
      request: { method: 'POST', url: '/mcp', headers } as unknown as IncomingMessage,
      message,
      caller: { clientKey: '192.0.2.1' },
      clientClosed: () => clientClosed,
    });
  for (let n = 0; n < 60; n++) await listen(AbortSignal.abort()).catch(() => undefined);
  const connected = new AbortController();
  const verdict = await listen(connected.signal);
  assert.equal(verdict !== undefined && 'response' in verdict && verdict.response.status, 200);
  connected.abort();
});
