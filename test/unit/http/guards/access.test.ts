import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setUp } from '../../../support/http/setting.ts';
import { sendBytes } from '../../../support/http/wire.ts';
import { assertRpcProblem } from '../../../support/http/problem.ts';

const { ask, rpc, house } = await setUp({ after });

it('OPTIONS answers', async () => {
  const { status, headers } = await ask('OPTIONS /mcp');
  assert.deepEqual([status, headers['access-control-allow-origin']], [204, undefined]);
});

describe('CORS at /mcp is for allowed origins only', () => {
  for (const origin of ['http://localhost', 'http://localhost:5173']) {
    it(`${origin} is let in by the preflight and by the call`, async () => {
      const preflight = await ask('OPTIONS /mcp', {
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type, mcp-protocol-version',
        },
      });
      assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, origin]);
      assert.match(preflight.header('Access-Control-Allow-Headers'), /mcp-protocol-version/);
      const told = await rpc('ping', {}, { Origin: origin });
      assert.deepEqual([told.status, told.headers['access-control-allow-origin']], [200, origin]);
      assert.match(told.header('Vary'), /Origin/);
      assert.equal(told.headers['access-control-allow-credentials'], undefined);
    });
  }

  it('another origin gets no CORS header', async () => {
    const headers = { Origin: 'https://zebra.example', 'Access-Control-Request-Method': 'POST' };
    const told = await ask('OPTIONS /mcp', { headers });
    assertRpcProblem(told, 403, 'forbidden_origin', -32000);
    assert.equal(told.headers['access-control-allow-origin'], undefined);
  });
});

it('a Host without a port, with any port and in other case is ours', async () => {
  for (const Host of ['127.0.0.1', '127.0.0.1:1', '127.0.0.1:8787'])
    assert.equal((await rpc('ping', {}, { Host })).status, 200);
  assert.equal((await rpc('ping', {}, { Host: '127.0.0.1:99999' })).status, 403);
  const named = await setUp(
    { after },
    {},
    {
      accessPolicy: {
        allowedHosts: ['a.example', 'b.example:81'],
        allowedOrigins: [],
        guardsEveryPath: false,
      },
    },
  );
  for (const [Host, status] of [
    ['A.Example:5', 200],
    ['b.example:81', 200],
    ['b.example', 403],
    ['b.example:82', 403],
  ] as const) {
    assert.equal((await named.rpc('ping', {}, { Host })).status, status, Host);
  }
});

it('the error for a foreign Host names the settings that decide about it', async () => {
  const { json } = await rpc('ping', {}, { Host: 'zebra.example' });
  for (const setting of ['BASE_URL', 'ALLOWED_HOSTS'])
    assert.ok(json.error.message.includes(setting), setting);
});

it('where any Origin is accepted, the preflight and the call of any origin succeed', async () => {
  const { ask: askOpen, rpc: call } = await setUp(
    { after },
    {},
    { accessPolicy: { allowedHosts: ['127.0.0.1'], allowedOrigins: null, guardsEveryPath: false } },
  );
  for (const Origin of ['https://zebra.example', 'http://127.0.0.1:1', 'null']) {
    const preflight = await askOpen('OPTIONS /mcp', {
      headers: { Origin, 'Access-Control-Request-Method': 'POST' },
    });
    assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, Origin]);
    const response = await call('ping', {}, { Origin });
    assert.deepEqual([response.status, response.headers['access-control-allow-origin']], [200, Origin]);
    assert.match(response.header('Vary'), /Origin/);
  }
  assertRpcProblem(await call('ping', {}, { Host: 'zebra.example' }), 403, 'forbidden_host', -32000);
});

it('where every Host is let in, every one is that is a host', async () => {
  const { rpc: call } = await setUp(
    { after },
    {},
    { accessPolicy: { allowedHosts: null, allowedOrigins: [], guardsEveryPath: false } },
  );
  for (const Host of ['zebra.example', 'a_b:81', '[::1]:81', '192.0.2.7', 'xn--bcher-kva.example']) {
    assert.equal((await call('ping', {}, { Host })).status, 200, Host);
  }
  for (const Host of [
    '][',
    'zebra example',
    'a:b',
    'http://zebra',
    '/',
    '%zz',
    '[::1',
    '@',
    '?',
    '1.2.3.4.5',
    'a,b',
    'a:99999',
  ]) {
    assertRpcProblem(await call('ping', {}, { Host }), 403, 'forbidden_host', -32000);
  }
});

it('the Host and Origin checks hold for every spelling that reaches the endpoint', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  for (const target of [
    '/mcp',
    '/mcp/',
    '/mcp?x',
    '//mcp',
    '/mcp#x',
    '/mcp/#x',
    '/mcp#x?y',
    '/mcp\u00a0',
    'http://a.example/mcp',
  ]) {
    const head = `POST ${target} HTTP/1.1\r\nHost: zebra.example\r\nConnection: close\r\nContent-Type: application/json`;
    const bytes = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answer = await sendBytes(house.url, bytes);
    assert.match(answer, /^HTTP\/1\.1 40[034] /, target);
    assert.doesNotMatch(answer, /"result"/, target);
  }
});
