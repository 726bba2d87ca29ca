import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { from, IDEA, PROXIED, setUp } from '../../../support/http/setting.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { sendBytes, type Told } from '../../../support/http/wire.ts';

let stopping = false;
const { ask, rpc } = await setUp(
  { after },
  { limits: { requestsPerMinute: 1 } },
  { ...PROXIED, stopping: () => stopping },
);

const Origin = 'https://somewhere.example';
const EXPOSED = [
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
];

function assertOpen(told: Told): void {
  assert.equal(told.header('Access-Control-Allow-Origin'), '*');
  assert.equal(told.headers['access-control-allow-credentials'], undefined);
  assert.deepEqual(told.header('Access-Control-Expose-Headers').split(','), EXPOSED);
}

describe('any origin may read, whatever the response', () => {
  const ANSWERS: [line: string, status: number, body?: unknown][] = [
    ['GET /api/feed', 200],
    ['HEAD /api/feed', 200],
    ['GET /', 200],
    ['GET /feed.xml', 200],
    ['GET /openapi.json', 200],
    ['GET /.well-known/porchlight.json', 200],
    ['GET /healthz', 200],
    [`GET /posts/${IDEA}`, 200],
    ['POST /api/feed', 403, { message: 'x' }],
    ['POST /api/projects/x/notes', 403, { message: 'x' }],
    ['POST /no/such', 403, {}],
    ['GET /api/posts/x', 404],
    ['GET /no/such', 404],
    ['DELETE /api/feed', 405],
    ['GET /api/posts/%ff', 400],
    [`GET /${'x'.repeat(8001)}`, 414],
  ];
  for (const [line, status, body] of ANSWERS) {
    it(`${line.slice(0, 40)}: ${status}`, async () => {
      const told = await ask(line, { headers: { Origin }, body });
      assert.equal(told.status, status);
      assertOpen(told);
    });
  }

  it('304', async () => {
    const told = await ask('GET /', { headers: { Origin, 'If-None-Match': '*' } });
    assert.equal(told.status, 304);
    assertOpen(told);
  });

  it('429 of the shield, whose Retry-After a page must be able to read', async () => {
    const answers = [
      await ask('GET /', { headers: from('192.0.2.1') }),
      await ask('GET /', { headers: from('192.0.2.1') }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 429],
    );
    answers.forEach(assertOpen);
  });

  it('503 while the service goes down', async () => {
    stopping = true;
    const told = await ask('GET /api/feed');
    stopping = false;
    assert.equal(told.status, 503);
    assertOpen(told);
  });
});

describe('a preflight grants POST to allowed origins only', () => {
  const preflight = (path: string, from: string, method: string) =>
    ask(`OPTIONS ${path}`, {
      headers: {
        Origin: from,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,if-none-match',
      },
    });
  for (const path of ['/api/feed', '/feed.xml', '/api/projects/x/notes', '/no/such']) {
    for (const [from, granted] of [
      [Origin, ['GET', 'HEAD']],
      ['null', ['GET', 'HEAD']],
      ['http://localhost:5173', ['GET', 'HEAD', 'POST']],
    ] as const) {
      it(`${path} for ${from}`, async () => {
        for (const method of ['GET', 'POST']) {
          const told = await preflight(path, from, method);
          assert.deepEqual([told.status, told.text, told.header('Access-Control-Max-Age')], [204, '', '600']);
          assert.equal(told.header('Access-Control-Allow-Origin'), '*');
          assert.deepEqual(told.header('Access-Control-Allow-Methods').split(','), granted);
          assert.equal(told.header('Access-Control-Allow-Headers'), 'content-type,if-none-match');
        }
      });
    }
  }
});

describe('a page of a foreign origin cannot write', () => {
  const body = { message: 'from a page' };
  for (const headers of [
    { Origin },
    { Origin: 'null' },
    { Origin: '' },
    { Origin: 'http://localhost.evil.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
    // A simple request, which a browser sends without a preflight.
    { Origin, 'Content-Type': 'text/plain' },
  ]) {
    it(JSON.stringify(headers), async () => {
      const told = await ask('POST /api/feed', { headers, body });
      assertProblem(told, 403, 'forbidden_origin');
      assertOpen(told);
    });
  }

  for (const headers of [
    {},
    { Origin: 'http://localhost:5173' },
    { Origin: 'http://LOCALHOST', 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
  ]) {
    it(`${JSON.stringify(headers)} can`, async () => {
      assert.equal((await ask('POST /api/feed', { headers, body })).status, 201);
    });
  }

  it('when every origin is allowed, every page can', async (t) => {
    const open = await setUp(
      t,
      {},
      { accessPolicy: { allowedHosts: null, allowedOrigins: null, guardsEveryPath: false } },
    );
    assert.equal((await open.ask('POST /api/feed', { headers: { Origin }, body })).status, 201);
    const told = await open.rpc('ping', {}, { Origin });
    assert.deepEqual([told.status, told.header('Access-Control-Allow-Origin')], [200, Origin]);
  });
});

describe('behind a loopback address the Host check holds for every path', () => {
  const accessPolicy = {
    allowedHosts: ['127.0.0.1', 'localhost'],
    allowedOrigins: ['http://localhost'],
    guardsEveryPath: true,
  };
  for (const line of [
    'GET /',
    'GET /api/feed',
    'HEAD /feed.xml',
    'GET /healthz',
    'POST /api/feed',
    'OPTIONS /api/feed',
    'GET /no/such',
  ]) {
    it(line, async (t) => {
      const local = await setUp(t, {}, { accessPolicy });
      const body = line.startsWith('POST') ? { message: 'x' } : undefined;
      for (const Host of ['rebind.evil.example', 'localhost.evil.example', '192.0.2.1']) {
        assert.equal((await local.ask(line, { headers: { Host }, body })).status, 403, Host);
      }
      for (const Host of ['127.0.0.1', 'localhost:99']) {
        assert.notEqual((await local.ask(line, { headers: { Host }, body })).status, 403, Host);
      }
    });
  }

  it('a missing Host on HTTP/1.0 is allowed', async (t) => {
    const { house } = await setUp(t, {}, { accessPolicy });
    assert.match(await sendBytes(house.url, 'GET /api/feed HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  });

  it('elsewhere a read under any Host is served', async () => {
    assert.equal((await ask('GET /api/feed', { headers: { Host: 'any.example' } })).status, 200);
  });
});

it('at /mcp an allowed origin can read the refusals of the shield too', async () => {
  const headers = { ...from('192.0.2.9'), Origin: 'http://localhost:5173' };
  const told = [await rpc('ping', {}, headers), await rpc('ping', {}, headers)];
  assert.deepEqual(
    told.map(({ status }) => status),
    [200, 429],
  );
  for (const one of told) assert.equal(one.header('Access-Control-Allow-Origin'), headers.Origin);
  assert.match(told[1]!.header('Access-Control-Expose-Headers'), /Retry-After/);
});

it('/mcp never says that any origin may come', async () => {
  const told = [
    await rpc('ping'),
    await rpc('ping', {}, { Origin }),
    await ask('GET /mcp'),
    await ask('OPTIONS /mcp'),
  ];
  assert.deepEqual(
    told.map(({ status }) => status),
    [200, 403, 405, 204],
  );
  for (const { headers } of told) assert.equal(headers['access-control-allow-origin'], undefined);
});
