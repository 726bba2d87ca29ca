import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FREE, IDEA, MCP_ACCEPT, setUp, UNKNOWN, visibleIds } from '../../../support/http/setting.ts';
import { assertClean, assertRpcProblem, MARK } from '../../../support/http/problem.ts';

const setting = await setUp({ after }, { limits: FREE });
const { ask, rpc, store } = setting;
const before = await visibleIds(store);

const post = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'post_message', arguments: { message: MARK } },
};
const nested = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(40)}${']'.repeat(40)}}}`;

describe('every refusal at /mcp is a JSON-RPC error without an id', () => {
  const REFUSED: [
    name: string,
    status: number,
    code: string,
    rpcCode: number,
    body: unknown,
    headers?: Record<string, string | undefined>,
  ][] = [
    ['no JSON', 400, 'malformed_json', -32700, '{'],
    ['an empty body', 400, 'malformed_json', -32700, ''],
    ['40 levels', 400, 'malformed_json', -32700, nested],
    [
      'not UTF-8',
      400,
      'malformed_json',
      -32700,
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\u00E9"}', 'latin1'),
    ],
    ['a batch', 400, 'malformed_json', -32600, [post, post, post]],
    ['a batch of 1,000', 400, 'malformed_json', -32600, Array<unknown>(1000).fill(post)],
    ['an empty batch', 400, 'malformed_json', -32600, []],
    ['a number', 400, 'malformed_json', -32600, '5'],
    ['null', 400, 'malformed_json', -32600, 'null'],
    ['JSON-RPC 1.0', 400, 'malformed_json', -32600, { ...post, jsonrpc: '1.0' }],
    ['no version', 400, 'malformed_json', -32600, { id: 1, method: MARK }],
    ['a method that is a number', 400, 'malformed_json', -32600, { ...post, method: 5 }],
    ['an id that is an object', 400, 'malformed_json', -32600, { ...post, id: { a: MARK } }],
    ['an id that is null', 400, 'malformed_json', -32600, { ...post, id: null }],
    ['params that are a list', 400, 'malformed_json', -32600, { ...post, params: [MARK] }],
    ['a batch within', 400, 'malformed_json', -32600, { 0: post, 1: post, length: 2 }],
    ['Origin of another site', 403, 'forbidden_origin', -32000, post, { Origin: 'https://zebra.example' }],
    [
      'Origin that begins like ours',
      403,
      'forbidden_origin',
      -32000,
      post,
      { Origin: 'http://localhost.zebra.example' },
    ],
    ['Origin null', 403, 'forbidden_origin', -32000, post, { Origin: 'null' }],
    ['an empty Origin', 403, 'forbidden_origin', -32000, post, { Origin: '' }],
    ['foreign Host', 403, 'forbidden_host', -32000, post, { Host: 'zebra.example' }],
    ['Host that ends like ours', 403, 'forbidden_host', -32000, post, { Host: 'zebra.127.0.0.1' }],
    ['Accept of HTML only', 406, 'not_acceptable', -32000, post, { Accept: 'text/html' }],
    ['Accept of streams only', 406, 'not_acceptable', -32000, post, { Accept: 'text/event-stream' }],
    [
      'Accept of JSON with weight 0',
      406,
      'not_acceptable',
      -32000,
      post,
      { Accept: 'application/json;q=0.0' },
    ],
    ['over 256 KiB', 413, 'too_large', -32000, { ...post, x: 'x'.repeat(262_144) }],
    ['plain text', 415, 'unsupported_media_type', -32000, post, { 'Content-Type': 'text/plain' }],
    ['gzip', 415, 'unsupported_media_type', -32000, post, { 'Content-Encoding': 'gzip' }],
    [
      'UTF-16',
      415,
      'unsupported_media_type',
      -32000,
      post,
      { 'Content-Type': 'application/json; charset=utf-16' },
    ],
    [
      'an unknown protocol version',
      400,
      'malformed_json',
      -32600,
      post,
      { 'Mcp-Protocol-Version': `1999-01-01${MARK}` },
    ],
  ];

  for (const [name, status, code, rpcCode, body, headers] of REFUSED) {
    for (const path of ['/mcp', '/mcp/']) {
      it(`${path}, ${name}: ${status} ${code}`, async () => {
        assertRpcProblem(
          await ask(`POST ${path}`, { headers: { ...MCP_ACCEPT, ...headers }, body }),
          status,
          code,
          rpcCode,
        );
        assert.deepEqual(await visibleIds(store), before);
      });
    }
  }

  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    it(`${method}: 405 with Allow`, async () => {
      const told = await ask(`${method} /mcp`);
      assertRpcProblem(told, 405, 'method_not_allowed', -32000);
      assert.equal(told.header('Allow'), 'POST, OPTIONS');
    });
  }
});

describe('what JSON-RPC itself refuses keeps the id of its request', () => {
  const WRONG: [method: string, params: object, code: number][] = [
    [MARK, {}, -32601],
    ['__proto__', {}, -32601],
    ['tools/call', { name: MARK, arguments: {} }, -32602],
    ['tools/call', { name: '__proto__', arguments: {} }, -32602],
    ['tools/call', { name: 5 }, -32602],
    ['resources/read', { uri: `porchlight://${MARK}` }, -32002],
    ['resources/read', { uri: `porchlight://posts/post_${UNKNOWN}` }, -32002],
    ['resources/read', { uri: 5 }, -32602],
    ['prompts/get', { name: MARK }, -32602],
    ['completion/complete', { argument: 5 }, -32602],
  ];
  for (const [method, params, code] of WRONG) {
    it(`${method} ${JSON.stringify(params).slice(0, 60)}: ${code}`, async () => {
      const told = await rpc(method, params);
      assert.deepEqual([told.status, told.json.id, told.json.error.code], [200, 1, code], told.text);
      assertClean(told.text);
    });
  }

  for (const args of [5, [], MARK, { postId: 5 }, { postId: IDEA, limit: 0 }, { postId: IDEA, limit: '5' }]) {
    it(`read_thread with ${JSON.stringify(args)}: a result that is an error`, async () => {
      const told = await rpc('tools/call', { name: 'read_thread', arguments: args });
      assert.deepEqual(
        [told.status, told.json.result.isError, 'structuredContent' in told.json.result],
        [200, true, false],
      );
      assert.equal(JSON.parse(told.json.result.content[0].text).code, 'invalid_request');
      assertClean(told.text);
    });
  }
});

for (const Accept of [undefined, '*/*', 'application/*', 'application/json', 'application/json, */*;q=0.5']) {
  it(`Accept: ${Accept} takes the JSON of a call`, async () => {
    assert.equal((await rpc('ping', {}, { Accept })).status, 200);
    assert.equal((await rpc('tools/list', {}, { Accept })).status, 200);
  });
}

it('a notification is taken and answered with nothing', async () => {
  const told = await ask('POST /mcp', {
    headers: MCP_ACCEPT,
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  });
  assert.deepEqual([told.status, told.text], [202, '']);
});
