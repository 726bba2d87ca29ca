import assert from 'node:assert/strict';
import test from 'node:test';
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
  // With this member an envelope is unusual.
  'io.modelcontextprotocol/logLevel': 'info',
};

interface Deviation {
  id?: unknown;
  headers?: Record<string, string | undefined>;
  meta?: object;
}

function send(
  { request }: TestApp,
  method: string,
  params: Record<string, unknown>,
  { id = 1, headers = {}, meta = META }: Deviation = {},
): Promise<HttpResponse> {
  const name = params['name'] ?? params['uri'];
  return request('POST /mcp', {
    headers: {
      ...MCP_ACCEPT,
      'Mcp-Protocol-Version': REVISION,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } },
  });
}

/** The name in the encoding that only the SDK decodes (SEP-2243). */
const encoded = (name: string): Record<string, string> => ({
  'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=`,
});

function whole({ status, headers, text }: HttpResponse) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}

const NAMED: [method: string, name: string, params: Record<string, unknown>][] = [
  ['tools/call', 'read_feed', { name: 'read_feed', arguments: {} }],
  ['tools/call', 'read_feed', { name: 'read_feed', arguments: { limit: 'many' } }],
  ['tools/call', 'read_thread', { name: 'read_thread', arguments: { postId: 'post_x' } }],
  ['tools/call', 'nothing', { name: 'nothing' }],
  ['prompts/get', 'nothing', { name: 'nothing' }],
  ['resources/read', 'porchlight://feed', { uri: 'porchlight://feed' }],
  ['resources/read', `porchlight://posts/${IDEA}`, { uri: `porchlight://posts/${IDEA}` }],
  ['resources/read', 'porchlight://nothing', { uri: 'porchlight://nothing' }],
];

for (const [method, name, params] of NAMED) {
  test(`${method} ${JSON.stringify(params)} in an unusual envelope has the same response as with a name that only the SDK decodes`, async (t) => {
    const app = await setUp(t);
    for (const id of [1, 'a', 0]) {
      const response = await send(app, method, params, { id });
      assert.equal(response.status, 200);
      assert.equal(response.json.id, id);
      assert.deepEqual(
        whole(response),
        whole(await send(app, method, params, { id, headers: encoded(name) })),
      );
    }
  });
}

test('a request whose headers differ from its body is 400 of the SDK', async (t) => {
  const app = await setUp(t);
  const call = { name: 'read_feed', arguments: {} };
  const statusOf = async (deviation: Deviation): Promise<number> =>
    (await send(app, 'tools/call', call, deviation)).status;
  assert.equal(await statusOf({ headers: { 'Mcp-Name': 'read_thread' } }), 400);
  assert.equal(await statusOf({ headers: { 'Mcp-Name': undefined } }), 400);
  assert.equal(await statusOf({ headers: { 'Mcp-Method': 'tools/list' } }), 400);
  assert.equal(await statusOf({ headers: { 'Mcp-Method': undefined } }), 400);
  assert.equal(await statusOf({ headers: { 'Mcp-Protocol-Version': undefined } }), 400);
  assert.equal(
    await statusOf({ meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } }),
    400,
  );
  assert.equal(await statusOf({ meta: { 'io.modelcontextprotocol/protocolVersion': REVISION } }), 400);
});

test('simultaneous requests with the same id get each its own response', async (t) => {
  const app = await setUp(t);
  const limits = Array.from({ length: 40 }, (_, n) => (n % 4) + 1);
  const responses = await Promise.all(
    limits.map((limit) =>
      send(app, 'tools/call', { name: 'read_feed', arguments: { limit } }, { id: 'same' }),
    ),
  );
  for (const [n, { json }] of responses.entries()) {
    assert.equal(json.id, 'same');
    assert.equal(json.result.structuredContent.messages.length, limits[n]);
  }
});

test('requests with an unusual envelope count against the limits of their own network', async (t) => {
  const app = await setUp(t, { limits: { feedPostsPerHour: 1 } }, BEHIND_PROXY);
  const post = async (address: string): Promise<boolean> => {
    const params = { name: 'post_message', arguments: { message: `from ${address}` } };
    return (
      (await send(app, 'tools/call', params, { headers: forwardedFor(address) })).json.result.isError !== true
    );
  };
  const posted = await Promise.all(['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.2'].map(post));
  assert.deepEqual(posted.filter(Boolean).length, 2);
  assert.deepEqual([await post('192.0.2.3'), await post('192.0.2.3')], [true, false]);
});
