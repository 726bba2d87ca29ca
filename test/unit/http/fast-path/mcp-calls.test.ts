import assert from 'node:assert/strict';
import test from 'node:test';
import { createExpressOnly } from '../../../support/http/app.ts';
import {
  IDEA,
  MCP_ACCEPT,
  BEHIND_PROXY,
  forwardedFor,
  setUp,
  type TestApp,
} from '../../../support/http/test-app.ts';
import type { HttpResponse } from '../../../support/http/send-request.ts';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const CALLS: [method: string, params: Record<string, unknown>][] = [
  ['tools/call', { name: 'read_feed', arguments: {} }],
  ['tools/call', { name: 'read_feed', arguments: { limit: 2 } }],
  ['tools/call', { name: 'read_thread', arguments: { postId: IDEA } }],
  ['tools/call', { name: 'read_thread', arguments: { postId: 'post_x' } }],
  ['tools/call', { name: 'get_started' }],
  ['tools/call', { name: 'nothing' }],
  ['tools/list', {}],
  ['resources/read', { uri: 'porchlight://feed' }],
  ['resources/read', { uri: 'porchlight://posts/post_x' }],
  ['resources/read', { uri: `porchlight://posts/${'x'.repeat(200)}` }],
  ['resources/read', { uri: 'porchlight://nothing' }],
  ['prompts/list', {}],
];

interface Message {
  id?: unknown;
  headers?: Record<string, string>;
  more?: Record<string, unknown>;
}

const params = (more: object) => ({ more: { params: { name: 'read_feed', arguments: {}, ...more } } });
const meta = (more: object) => params({ _meta: { ...META, ...more } });

const UNUSUAL: Message[] = [
  { headers: { Accept: 'application/json' } },
  { headers: { Accept: '*/*' } },
  { headers: { Accept: 'text/html' } },
  { headers: { Accept: 'application/json;q=0' } },
  { headers: { 'Content-Type': 'text/plain' } },
  { headers: { 'Mcp-Protocol-Version': '1999-01-01' } },
  { headers: { 'Mcp-Protocol-Version': '' } },
  { headers: { 'Mcp-Method': 'tools/list' } },
  { headers: { 'Mcp-Name': 'read_thread' } },
  { headers: { 'Mcp-Name': '=?base64?cmVhZF9mZWVk?=' } },
  { headers: { Origin: 'https://elsewhere.example' } },
  { headers: { Origin: 'http://localhost' } },
  { headers: { 'Sec-Fetch-Site': 'cross-site' } },
  { headers: { Host: 'elsewhere.example' } },
  { id: null },
  { id: 1.5 },
  { id: 1e300 },
  { id: true },
  { more: { extra: 1 } },
  { more: { jsonrpc: '1.0' } },
  { more: { method: 'tools/dance' } },
  { more: { id: undefined } },
  params({ arguments: { limit: 0 } }),
  params({ arguments: { limit: '5', unknown: 1 } }),
  params({ arguments: null }),
  params({ arguments: [] }),
  params({ name: 'post_message', arguments: { message: 'published' } }),
  params({ name: 'nothing' }),
  params({ task: { ttl: 5 } }),
  params({ _meta: { progressToken: 1 } }),
  params({ _meta: { progressToken: {} } }),
  params({ _meta: { other: 1 } }),
  params({ _meta: 5 }),
  params({ _meta: { 'io.modelcontextprotocol/related-task': 5 } }),
  meta({ progressToken: 'a' }),
  meta({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }),
  meta({ 'io.modelcontextprotocol/clientInfo': { name: 'a test' } }),
  meta({ 'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1', title: 5 } }),
  meta({ 'io.modelcontextprotocol/clientCapabilities': { sampling: 5 } }),
  meta({ 'io.modelcontextprotocol/clientCapabilities': { sampling: {}, roots: { listChanged: true } } }),
  meta({ 'io.modelcontextprotocol/clientCapabilities': { roots: { listChanged: 5 } } }),
  meta({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: { listChanged: true } } }),
  meta({ 'io.modelcontextprotocol/logLevel': 'info' }),
];

/** Sends a call with the headers and the envelope of its revision. */
function send(
  { request }: TestApp,
  revision: string,
  [method, params]: (typeof CALLS)[number],
  { id = 1, headers = {}, more = {} }: Message = {},
): Promise<HttpResponse> {
  const isPerRequest = revision === REVISION;
  const name = params['name'] ?? params['uri'];
  return request('POST /mcp', {
    headers: {
      ...MCP_ACCEPT,
      'Mcp-Protocol-Version': revision,
      ...(isPerRequest && { 'Mcp-Method': method, ...(typeof name === 'string' && { 'Mcp-Name': name }) }),
      ...headers,
    },
    body: {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, ...(isPerRequest && { _meta: META }) },
      ...more,
    },
  });
}

/** A whole response without its date. */
function whole({ status, headers, text }: HttpResponse) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}

for (const revision of ['2025-11-25', REVISION]) {
  for (const call of CALLS) {
    test(`${call[0]} ${JSON.stringify(call[1])} of ${revision} has the same bytes from the fast path as from the SDK`, async (t) => {
      const [sdk, fast] = [await setUp(t, {}, {}, createExpressOnly), await setUp(t)];
      for (const id of [1, 'a', -5, '"quoted"\n', 0]) {
        const slow = await send(sdk, revision, call, { id });
        for (let n = 0; n < 2; n++)
          assert.deepEqual(whole(await send(fast, revision, call, { id })), whole(slow));
        assert.equal(slow.json.id, id);
      }
    });
  }

  test(`a call of ${revision} after a write has the change, although the call before is cached`, async (t) => {
    const app = await setUp(t);
    const totals = async (): Promise<number> =>
      (await send(app, revision, CALLS[0]!)).json.result.structuredContent.totals.messages as number;
    const before = [await totals(), await totals()];
    await app.request('POST /api/feed', { body: { message: 'x' } });
    assert.deepEqual(
      [await totals(), await totals()],
      before.map((count) => count + 1),
    );
  });

  test(`a call of ${revision} that is unusual in one part has the same response with and without the fast path`, async (t) => {
    const [sdk, fast] = [await setUp(t, {}, {}, createExpressOnly), await setUp(t)];
    const [call] = CALLS;
    for (const unusual of UNUSUAL) {
      const slow = await send(sdk, revision, call!, unusual);
      assert.deepEqual(
        whole(await send(fast, revision, call!, unusual)),
        whole(slow),
        JSON.stringify(unusual),
      );
    }
  });
}

test('a batch, invalid JSON and a body over the limit are refused, and a body of 5 KB is served', async (t) => {
  const app = await setUp(t);
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read_feed', arguments: {} },
  });
  const post = (body: string | Buffer) =>
    app.request('POST /mcp', { headers: { ...MCP_ACCEPT, 'Content-Type': 'application/json' }, body });
  assert.equal((await post(`[${text}]`)).json.error.code, -32600);
  assert.equal((await post(text.slice(1))).json.error.code, -32700);
  assert.equal(
    (await post(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x7d])]))).json.error.code,
    -32700,
  );
  assert.equal((await post(`${text}${' '.repeat(300 * 1024)}`)).status, 413);
  assert.equal((await post(`${text}${' '.repeat(5000)}`)).status, 200);
});

test('the request rate limit counts cached calls', async (t) => {
  const app = await setUp(t, { limits: { requestsPerMinute: 5 } }, BEHIND_PROXY);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++)
    statuses.push((await send(app, '2025-11-25', CALLS[0]!, { headers: forwardedFor('192.0.2.9') })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
});
