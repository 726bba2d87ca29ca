import assert from 'node:assert/strict';
import test from 'node:test';
import { MCP_ACCEPT, setUp } from '../../support/http/test-app.ts';
import { sendBytes } from '../../support/http/send-request.ts';

const HOSTILE: unknown[] = [
  { toString: 0 },
  [{ toString: 0 }],
  { toString: 0, valueOf: 0 },
  { toJSON: 0 },
  { constructor: 0, then: 0 },
  JSON.parse('{"__proto__":{"toString":0}}'),
  [[[[]]]],
  1e308,
  true,
  '',
  null,
];

/** The members of a message that code reads before the message is validated. */
const PLACES: [name: string, put: (value: unknown) => object][] = [
  ['method', (method) => ({ id: 1, method })],
  ['method of a whole message', (method) => ({ jsonrpc: '2.0', id: 1, method, params: {} })],
  ['id', (id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })],
  ['jsonrpc', (jsonrpc) => ({ jsonrpc, id: 1, method: 'tools/list' })],
  ['params', (params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })],
  ['params.name', (name) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })],
  [
    'params.arguments',
    (args) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_feed', arguments: args },
    }),
  ],
  ['params.uri', (uri) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } })],
  ['params._meta', (_meta) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })],
];

for (const [name, put] of PLACES) {
  test(`a hostile value as ${name} gets a status below 500, and the service stays up`, async (t) => {
    const { request, faults } = await setUp(t);
    for (const value of HOSTILE) {
      const body = put(value);
      for (const headers of [
        {},
        MCP_ACCEPT,
        { ...MCP_ACCEPT, 'Mcp-Protocol-Version': '2026-07-28' },
        { ...MCP_ACCEPT, 'X-Other': '1' },
      ]) {
        const { status } = await request('POST /mcp', { headers, body });
        assert.ok(status < 500, `${status} for ${JSON.stringify(body)}`);
      }
    }
    assert.deepEqual(faults, []);
    assert.equal((await request('GET /healthz')).status, 200);
  });
}

test('an unexpected error on the fast path is internal and logged, for reads and MCP calls', async (t) => {
  const { request, faults, store } = await setUp(t);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_feed' } };
  const read = () => request('GET /api/feed');
  const callTool = () => request('POST /mcp', { headers: MCP_ACCEPT, body: call });
  assert.deepEqual([(await read()).status, (await callTool()).status], [200, 200]);
  for (const revision of [
    () => {
      throw new Error('synchronous');
    },
    () => Promise.reject(new Error('asynchronous')),
  ]) {
    Object.assign(store, { revision });
    const response = await read();
    assert.deepEqual([response.status, response.json.code], [500, 'internal']);
    const { result } = (await callTool()).json;
    assert.deepEqual([result.isError, JSON.parse(result.content[0].text).code], [true, 'internal']);
  }
  assert.equal(faults.length, 4);
});

test('a message of 32 bytes with an object as method, sent without headers, is 4xx', async (t) => {
  const { url, request } = await setUp(t);
  const body = '{"id":1,"method":{"toString":0}}';
  const response = await sendBytes(
    url,
    `POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  assert.match(response, /^HTTP\/1\.1 4\d\d /);
  assert.equal((await request('GET /healthz')).status, 200);
});
