import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setUp } from '../../../support/http/test-app.ts';
import { sendBytes } from '../../../support/http/send-request.ts';
import { assertRpcProblem } from '../../../support/http/problem.ts';

const { request, rpc, url } = await setUp({ after });

it('without an allowed Origin no response of /mcp has a CORS header', async () => {
  const Origin = 'https://zebra.example';
  const statuses = [];
  for (const { status, headers } of [
    await request('OPTIONS /mcp'),
    await request('GET /mcp'),
    await rpc('ping'),
    await rpc('ping', {}, { Origin }),
  ]) {
    statuses.push(status);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
  assert.deepEqual(statuses, [204, 405, 200, 403]);
});

describe('only allowed origins get CORS headers at /mcp', () => {
  for (const origin of ['http://localhost', 'http://localhost:5173']) {
    it(`a preflight and a call of ${origin} succeed`, async () => {
      const preflight = await request('OPTIONS /mcp', {
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type, mcp-protocol-version',
        },
      });
      assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, origin]);
      assert.match(preflight.header('Access-Control-Allow-Headers'), /mcp-protocol-version/);
      const response = await rpc('ping', {}, { Origin: origin });
      assert.deepEqual([response.status, response.headers['access-control-allow-origin']], [200, origin]);
      assert.match(response.header('Vary'), /Origin/);
      assert.equal(response.headers['access-control-allow-credentials'], undefined);
    });
  }

  it('a preflight of another origin is 403 without a CORS header', async () => {
    const headers = { Origin: 'https://zebra.example', 'Access-Control-Request-Method': 'POST' };
    const response = await request('OPTIONS /mcp', { headers });
    assertRpcProblem(response, 403, 'forbidden_origin', -32000);
    assert.equal(response.headers['access-control-allow-origin'], undefined);
  });
});

it('an allowed host without a port is accepted with any port and in any case, one with a port with that port only', async () => {
  for (const Host of ['127.0.0.1', '127.0.0.1:1', '127.0.0.1:8787', '127.0.0.1.', '127.0.0.1.:8787'])
    assert.equal((await rpc('ping', {}, { Host })).status, 200);
  assert.equal((await rpc('ping', {}, { Host: '127.0.0.1:99999' })).status, 403);
  const named = await setUp(
    { after },
    {},
    {
      accessPolicy: {
        allowedHosts: ['a.example', 'b.example:81'],
        allowedOrigins: [],
        isLocal: false,
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

it('the error for a foreign Host names the settings that allow one', async () => {
  const { json } = await rpc('ping', {}, { Host: 'zebra.example' });
  for (const setting of ['BASE_URL', 'ALLOWED_HOSTS'])
    assert.ok(json.error.message.includes(setting), setting);
});

it('a preflight and a call of any origin succeed if every origin is allowed', async () => {
  const { request: askOpen, rpc: call } = await setUp(
    { after },
    {},
    { accessPolicy: { allowedHosts: ['127.0.0.1'], allowedOrigins: null, isLocal: false } },
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

it('if every host is allowed, every valid Host is accepted and an invalid one is 403', async () => {
  const { rpc: call } = await setUp(
    { after },
    {},
    { accessPolicy: { allowedHosts: null, allowedOrigins: [], isLocal: false } },
  );
  for (const Host of ['zebra.example', 'a_b:81', '[::1]:81', '192.0.2.7', 'xn--bcher-kva.example']) {
    assert.equal((await call('ping', {}, { Host })).status, 200, Host);
  }
  for (const Host of [
    ...['][', 'zebra example', 'a:b', 'http://zebra', '/', '%zz', '[::1', '@', '?', '1.2.3.4.5'],
    ...['a,b', 'a:99999'],
  ]) {
    assertRpcProblem(await call('ping', {}, { Host }), 403, 'forbidden_host', -32000);
  }
});

it('a foreign Host is refused for every spelling of the path that reaches /mcp', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  for (const target of [
    ...['/mcp', '/mcp/', '/mcp?x', '//mcp', '/mcp#x', '/mcp/#x', '/mcp#x?y'],
    ...['/mcp\u00a0', 'http://a.example/mcp'],
  ]) {
    const head = `POST ${target} HTTP/1.1\r\nHost: zebra.example\r\nConnection: close\r\nContent-Type: application/json`;
    const bytes = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const response = await sendBytes(url, bytes);
    assert.match(response, /^HTTP\/1\.1 40[034] /, target);
    assert.doesNotMatch(response, /"result"/, target);
  }
});

describe('on a loopback address', async () => {
  const accessPolicy = {
    allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
    allowedOrigins: ['http://localhost', 'https://app.example'],
    isLocal: true,
  };
  const local = await setUp({ after }, {}, { accessPolicy });
  const read = (headers: Record<string, string>) => local.request('GET /api/protocol', { headers });

  it('a Host is an address, in any spelling', async () => {
    const spellings = ['[::1]:1', '[0:0:0:0:0:0:0:1]:1', '[0000::0001]', '127.1:1', 'LOCALHOST.:1'];
    for (const Host of spellings) assert.equal((await read({ Host })).status, 200, Host);
    for (const Host of ['[::2]:1', '[0:0:0:0:0:0:1:1]:1', '127.0.0.2'])
      assert.equal((await read({ Host })).status, 403, Host);
  });

  const CROSS = { 'Sec-Fetch-Site': 'cross-site' };
  for (const [what, status, headers] of [
    ['an image of a page of another site', 403, { ...CROSS, 'Sec-Fetch-Mode': 'no-cors' }],
    ['a request of a browser that says no mode', 403, CROSS],
    [
      'a script of a page of another site',
      403,
      { ...CROSS, 'Sec-Fetch-Mode': 'cors', Origin: 'https://zebra.example' },
    ],
    [
      'a script of an allowed origin',
      200,
      { ...CROSS, 'Sec-Fetch-Mode': 'cors', Origin: 'https://app.example' },
    ],
    ['a link that a reader follows', 200, { ...CROSS, 'Sec-Fetch-Mode': 'navigate' }],
    ['a page of this site', 200, { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' }],
    ['a program', 200, {}],
  ] as const)
    it(`a read by ${what} is ${status}, from the cache too`, async () => {
      await read({});
      const response = await read(headers);
      assert.equal(response.status, status);
      if (status === 403) assert.equal(response.json.code, 'forbidden_origin');
    });

  it('no page of another origin may embed a response, and elsewhere each may', async () => {
    assert.equal((await read({})).header('Cross-Origin-Resource-Policy'), 'same-origin');
    assert.equal((await request('GET /api/protocol')).header('Cross-Origin-Resource-Policy'), 'cross-origin');
    const { status } = await request('GET /api/protocol', { headers: CROSS });
    assert.equal(status, 200);
  });
});
