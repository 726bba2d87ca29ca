import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import test from 'node:test';
import { FastCalls } from '#http/fast-calls.ts';
import { loadTools } from '../../tools/load.ts';
import { IDEA, MCP_ACCEPT, PROXIED, from, setUp, type Setting } from '../support/http-setting.ts';
import { askAt, type Told } from '../support/http-wire.ts';

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
  ['prompts/list', {}],
];

/** No header that anybody knows, so the SDK is asked. */
const BY_SDK = { 'X-Look-Closer': '1' };

interface Message {
  id?: unknown;
  headers?: Record<string, string>;
  more?: Record<string, unknown>;
}

/** Sends a call as its era wants it. */
function send(
  { ask }: Setting,
  era: string,
  [method, params]: (typeof CALLS)[number],
  { id = 1, headers = {}, more = {} }: Message = {},
): Promise<Told> {
  const newer = era === REVISION;
  const name = params['name'] ?? params['uri'];
  return ask('POST /mcp', {
    headers: {
      ...MCP_ACCEPT,
      'Mcp-Protocol-Version': era,
      ...(newer && { 'Mcp-Method': method, ...(typeof name === 'string' && { 'Mcp-Name': name }) }),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, ...(newer && { _meta: META }) }, ...more },
  });
}

/** All of an answer but the time of day. */
function whole({ status, headers, text }: Told) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}

for (const era of ['2025-11-25', REVISION]) {
  for (const call of CALLS) {
    test(`${call[0]} ${JSON.stringify(call[1])} of ${era} is the same in front of the SDK as from it`, async (t) => {
      const setting = await setUp(t);
      for (const id of [1, 'a', -5, '"quoted"\n', 0]) {
        const slow = await send(setting, era, call, { id, headers: BY_SDK });
        for (let n = 0; n < 2; n++)
          assert.deepEqual(whole(await send(setting, era, call, { id })), whole(slow));
        assert.equal(slow.json.id, id);
      }
    });
  }

  test(`of ${era} a write is seen by the very next call`, async (t) => {
    const setting = await setUp(t);
    const totals = async (): Promise<number> =>
      (await send(setting, era, CALLS[0]!)).json.result.structuredContent.totals.messages as number;
    const before = [await totals(), await totals()];
    await setting.ask('POST /api/feed', { body: { message: 'x' } });
    assert.deepEqual(
      [await totals(), await totals()],
      before.map((count) => count + 1),
    );
  });

  test(`of ${era} the neighbours of a call that is kept are judged as ever`, async (t) => {
    const setting = await setUp(t);
    const [call] = CALLS;
    const usual = await send(setting, era, call!);
    const neighbours: Message[] = [
      { headers: { Accept: 'application/json' } },
      { headers: { 'Content-Type': 'text/plain' } },
      { headers: { 'Mcp-Protocol-Version': '1999-01-01' } },
      { headers: { Origin: 'https://elsewhere.example' } },
      { headers: { Host: 'elsewhere.example' } },
      { id: null },
      { id: 1.5 },
      { id: true },
      { more: { extra: 1 } },
      { more: { jsonrpc: '1.0' } },
      { more: { method: 'tools/dance' } },
      { more: { params: { name: 'read_feed', arguments: { limit: 0 } } } },
      { more: { params: { name: 'post_message', arguments: { message: 'published' } } } },
      { more: { id: undefined } },
    ];
    for (const neighbour of neighbours) {
      const slow = await send(setting, era, call!, {
        ...neighbour,
        headers: { ...neighbour.headers, ...BY_SDK },
      });
      const fast = await send(setting, era, call!, neighbour);
      if (slow.status !== 200 || slow.json.result?.structuredContent?.id === undefined) {
        assert.deepEqual(whole(fast), whole(slow), JSON.stringify(neighbour));
        assert.notDeepEqual(whole(slow), whole(usual), JSON.stringify(neighbour));
      } else {
        assert.notEqual(
          fast.json.result.structuredContent.id,
          slow.json.result.structuredContent.id,
          'a write is never kept',
        );
      }
    }
  });
}

test('a batch, a body that is no JSON and one that is too long are refused as ever, and a body in pieces is read whole', async (t) => {
  const setting = await setUp(t);
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read_feed', arguments: {} },
  });
  const post = (body: string | Buffer) =>
    setting.ask('POST /mcp', { headers: { ...MCP_ACCEPT, 'Content-Type': 'application/json' }, body });
  assert.equal((await post(`[${text}]`)).json.error.code, -32600);
  assert.equal((await post(text.slice(1))).json.error.code, -32700);
  assert.equal(
    (await post(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0x7d])]))).json.error.code,
    -32700,
  );
  assert.equal((await post(`${text}${' '.repeat(300 * 1024)}`)).status, 413);
  assert.equal((await post(`${text}${' '.repeat(5000)}`)).status, 200);
});

test('who calls too often is refused also where the answer is kept', async (t) => {
  const setting = await setUp(t, { limits: { requestsPerMinute: 5 } }, PROXIED);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++)
    statuses.push((await send(setting, '2025-11-25', CALLS[0]!, { headers: from('192.0.2.9') })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
});

test('what was kept does not get to the SDK again until something changes, and nothing that failed or writes is kept', async (t) => {
  let revision = 1;
  let asked = 0;
  let answer: object = { result: { content: [], text: '"id":1,"id":"read_feed 0"' } };
  const fast = new FastCalls(
    {
      revision: () => revision,
      stopping: () => false,
      shield: (_request, _response, next) => {
        next();
      },
    },
    await loadTools(),
  );
  const server = createServer((request, response) => {
    fast.answer(request, response, () => {
      asked += 1;
      const bytes = (request as { body?: Buffer }).body;
      void Promise.resolve(bytes === undefined ? json(request) : JSON.parse(bytes.toString())).then(
        ({ id }: { id: unknown }) => {
          const text = JSON.stringify({ ...answer, id });
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
          fast.keep(request, response, text);
        },
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close().closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = async (name: string, headers = {}): Promise<number> => {
    const id = `${name} ${asked}`;
    const told = await askAt(url, 'POST /', {
      headers,
      body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name } },
    });
    assert.equal(told.json.id, id);
    return asked;
  };
  assert.deepEqual(
    [await call('read_feed'), await call('read_feed'), await call('read_feed', { 'User-Agent': 'x' })],
    [1, 1, 1],
  );
  assert.deepEqual(
    [await call('read_feed', { 'X-Strange': 'x' }), await call('post_message'), await call('post_message')],
    [2, 3, 4],
  );
  revision = 2;
  assert.deepEqual([await call('read_feed'), await call('read_feed')], [5, 5]);
  revision = 3;
  for (const failed of [{ error: { code: 1 } }, { result: { isError: true } }]) {
    answer = failed;
    const before = asked;
    assert.deepEqual([await call('read_feed'), await call('read_feed')], [before + 1, before + 2]);
  }
});
