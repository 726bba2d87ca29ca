import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { NO_LIMITS, MCP_ACCEPT, setUp, UNKNOWN_UUID, visibleIds } from '../../support/http/test-app.ts';
import { sendBytes } from '../../support/http/send-request.ts';
import { assertClean, assertRpcProblem, MARK } from '../../support/http/problem.ts';

const app = await setUp({ after }, { limits: NO_LIMITS });
const { request, rpc, store } = app;
const before = await visibleIds(store);

const post = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'post_message', arguments: { message: MARK } },
};

describe('an invalid request to /mcp gets a JSON-RPC error with a null id', () => {
  const REFUSED: [
    name: string,
    status: number,
    code: string,
    rpcCode: number,
    body: unknown,
    headers?: Record<string, string | undefined>,
  ][] = [
    ['invalid JSON', 400, 'malformed_json', -32700, '{'],
    ['a batch', 400, 'malformed_json', -32600, [post, post, post]],
    ['a number', 400, 'malformed_json', -32600, '5'],
    ['JSON-RPC 1.0', 400, 'malformed_json', -32600, { ...post, jsonrpc: '1.0' }],
    ['a foreign Origin', 403, 'forbidden_origin', -32000, post, { Origin: 'https://zebra.example' }],
    ['a foreign Host', 403, 'forbidden_host', -32000, post, { Host: 'zebra.example' }],
    ['an Accept of HTML only', 406, 'not_acceptable', -32000, post, { Accept: 'text/html' }],
    ['an Accept of streams only', 406, 'not_acceptable', -32000, post, { Accept: 'text/event-stream' }],
    ['a body over 256 KiB', 413, 'too_large', -32000, { ...post, x: 'x'.repeat(262_144) }],
    ['a type of plain text', 415, 'unsupported_media_type', -32000, post, { 'Content-Type': 'text/plain' }],
    ['a gzip encoding', 415, 'unsupported_media_type', -32000, post, { 'Content-Encoding': 'gzip' }],
  ];

  for (const [name, status, code, rpcCode, body, headers] of REFUSED) {
    for (const path of ['/mcp', '/mcp/']) {
      it(`${path}, ${name}: ${status} ${code}`, async () => {
        const sent = { headers: { ...MCP_ACCEPT, ...headers }, body };
        assertRpcProblem(await request(`POST ${path}`, sent), status, code, rpcCode);
        assert.deepEqual(await visibleIds(store), before);
      });
    }
  }

  it('no Host header: 400 malformed_request', async () => {
    const bytes = 'POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    const text = await sendBytes(app.url, bytes);
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /"code":-32600,.*"code":"malformed_request"/);
  });

  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    it(`${method}: 405 with Allow`, async () => {
      const response = await request(`${method} /mcp`);
      assertRpcProblem(response, 405, 'method_not_allowed', -32000);
      assert.equal(response.header('Allow'), 'POST, OPTIONS');
    });
  }
});

describe('a JSON-RPC message that a method refuses gets an error with its id', () => {
  const WRONG: [method: string, params: object, code: number][] = [
    [MARK, {}, -32601],
    ['__proto__', {}, -32601],
    ['tools/call', { name: MARK, arguments: {} }, -32602],
    ['tools/call', { name: '__proto__', arguments: {} }, -32602],
    ['tools/call', { name: 5 }, -32602],
    ['resources/read', { uri: `porchlight://${MARK}` }, -32002],
    ['resources/read', { uri: `porchlight://posts/post_${UNKNOWN_UUID}` }, -32002],
    ['resources/read', { uri: 5 }, -32602],
    ['prompts/get', { name: MARK }, -32602],
    ['completion/complete', { argument: 5 }, -32602],
  ];
  for (const [method, params, code] of WRONG) {
    it(`${method} ${JSON.stringify(params).slice(0, 60)}: ${code}`, async () => {
      const response = await rpc(method, params);
      const answer = [response.status, response.json.id, response.json.error.code];
      assert.deepEqual(answer, [200, 1, code], response.text);
      // The error of an unknown resource repeats its URI there, and nowhere else.
      const { uri, ...data } = response.json.error.data ?? {};
      assert.equal(uri, code === -32002 ? (params as { uri: string }).uri : undefined);
      assertClean(JSON.stringify({ ...response.json.error, data }));
    });
  }
});

it('a notification is 202 with an empty body', async () => {
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const response = await request('POST /mcp', { headers: MCP_ACCEPT, body });
  assert.deepEqual([response.status, response.text], [202, '']);
});

const CLIENT = { name: 'a test', version: '1' };
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
const MISTAKES: [params: object, member: string][] = [
  [{ ...INITIALIZE, clientInfo: { ...CLIENT, title: null } }, 'params.clientInfo.title'],
  [{ ...INITIALIZE, clientInfo: undefined }, 'params.clientInfo'],
  [{ ...INITIALIZE, protocolVersion: 5 }, 'params.protocolVersion'],
  [{ ...INITIALIZE, capabilities: { roots: 5 } }, 'params.capabilities.roots'],
  [{ ...INITIALIZE, capabilities: { experimental: { [MARK]: 5 } } }, 'params.capabilities.experimental'],
];

for (const [params, member] of MISTAKES)
  it(`the error of an initialize names ${member}`, async () => {
    const { code, message } = (await rpc('initialize', params)).json.error;
    assert.equal(code, -32602);
    assert.ok(message.startsWith(`${member} is missing or invalid; `), message);
    assertClean(message);
  });
