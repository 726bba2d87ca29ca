import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { forwardedFor, IDEA, BEHIND_PROXY, setUp } from '../../../support/http/test-app.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { sendBytes, type HttpResponse } from '../../../support/http/send-request.ts';

let stopping = false;
const { request, rpc } = await setUp(
  { after },
  { limits: { requestsPerMinute: 1 } },
  { ...BEHIND_PROXY, stopping: () => stopping },
);

const Origin = 'https://somewhere.example';
const EXPOSED = [
  ...['ETag', 'Link', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  ...['Idempotency-Replayed', 'Ignored-Parameters'],
];

function assertOpen(response: HttpResponse): void {
  assert.equal(response.header('Access-Control-Allow-Origin'), '*');
  assert.equal(response.headers['access-control-allow-credentials'], undefined);
  assert.deepEqual(response.header('Access-Control-Expose-Headers').split(','), EXPOSED);
}

const LOCAL = {
  allowedHosts: ['127.0.0.1', 'localhost'],
  allowedOrigins: ['http://localhost'],
  isLocal: true,
};

/** Requests of a foreign origin, and their status. */
const RESPONSES: [line: string, status: number, body?: unknown][] = [
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

describe('every response of REST allows any origin to read it', () => {
  for (const [line, status, body] of RESPONSES) {
    it(`${line.slice(0, 40)}: ${status}`, async () => {
      const response = await request(line, { headers: { Origin }, body });
      assert.equal(response.status, status);
      assertOpen(response);
    });
  }

  it('GET / with If-None-Match: 304', async () => {
    const response = await request('GET /', { headers: { Origin, 'If-None-Match': '*' } });
    assert.equal(response.status, 304);
    assertOpen(response);
  });

  it('GET / over the request rate limit: 429, with Retry-After exposed to pages', async () => {
    const responses = [
      await request('GET /', { headers: forwardedFor('192.0.2.1') }),
      await request('GET /', { headers: forwardedFor('192.0.2.1') }),
    ];
    const statuses = responses.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 429]);
    responses.forEach(assertOpen);
  });

  it('GET /api/feed while the service stops: 503', async () => {
    stopping = true;
    const response = await request('GET /api/feed');
    stopping = false;
    assert.equal(response.status, 503);
    assertOpen(response);
  });
});

describe('on a loopback address only pages of allowed origins may read', async () => {
  const local = await setUp({ after }, { limits: { requestsPerMinute: 0 } }, { accessPolicy: LOCAL });
  const allowed = 'http://localhost:5173';
  const readers = ({ headers }: HttpResponse) => headers['access-control-allow-origin'];
  const paths = RESPONSES.filter(([line]) => !line.startsWith('POST'));

  for (const [line, status] of paths)
    it(`${line.slice(0, 40)}: ${status}`, async () => {
      for (const origin of [Origin, 'null', 'http://localhost.evil.example', undefined]) {
        const response = await local.request(line, { headers: { Origin: origin } });
        assert.deepEqual([response.status, readers(response)], [status, undefined], origin);
        assert.match(response.header('Vary'), /\bOrigin\b/, origin);
      }
      const response = await local.request(line, { headers: { Origin: allowed } });
      assert.deepEqual([response.status, readers(response)], [status, allowed]);
      assert.match(response.header('Vary'), /\bOrigin\b/);
    });

  it('a 304 and gzip keep both names in Vary', async () => {
    for (const [origin, granted] of [
      [Origin, undefined],
      [undefined, undefined],
      [allowed, allowed],
    ]) {
      const headers = { Origin: origin, 'Accept-Encoding': 'gzip' };
      const whole = await local.request('GET /openapi.json', { headers });
      assert.equal(whole.header('Content-Encoding'), 'gzip');
      const etag = whole.header('ETag');
      const same = await local.request('GET /openapi.json', {
        headers: { ...headers, 'If-None-Match': etag },
      });
      assert.deepEqual([same.status, same.header('ETag')], [304, etag]);
      for (const response of [whole, same])
        assert.deepEqual([response.header('Vary'), readers(response)], ['Origin, Accept-Encoding', granted]);
    }
  });

  it('writes, preflights and /mcp', async () => {
    const body = { message: 'from a page' };
    const post = (origin: string) => local.request('POST /api/feed', { headers: { Origin: origin }, body });
    const preflight = (origin: string) =>
      local.request('OPTIONS /api/log', {
        headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' },
      });
    for (const [response, status, granted] of [
      [await post(Origin), 403, undefined],
      [await post(allowed), 201, allowed],
      [await preflight(Origin), 204, undefined],
      [await preflight(allowed), 204, allowed],
      [await local.rpc('ping', {}, { Origin }), 403, undefined],
      [await local.rpc('ping', {}, { Origin: allowed }), 200, allowed],
    ] as const)
      assert.deepEqual([response.status, readers(response)], [status, granted]);
  });
});

describe('a preflight grants POST to allowed origins only', () => {
  const preflight = (path: string, origin: string, method: string) =>
    request(`OPTIONS ${path}`, {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,if-none-match',
      },
    });
  for (const path of ['/api/feed', '/feed.xml', '/api/projects/x/notes', '/no/such']) {
    for (const [origin, granted] of [
      [Origin, ['GET', 'HEAD']],
      ['null', ['GET', 'HEAD']],
      ['http://localhost:5173', ['GET', 'HEAD', 'POST']],
    ] as const) {
      it(`${path} for ${origin}`, async () => {
        for (const method of ['GET', 'POST']) {
          const response = await preflight(path, origin, method);
          const seen = [response.status, response.text, response.header('Access-Control-Max-Age')];
          assert.deepEqual(seen, [204, '', '600']);
          assert.equal(response.header('Access-Control-Allow-Origin'), '*');
          assert.deepEqual(response.header('Access-Control-Allow-Methods').split(','), granted);
          assert.equal(response.header('Access-Control-Allow-Headers'), 'content-type,if-none-match');
        }
      });
    }
  }
});

describe('a POST of a page needs an allowed origin', () => {
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
    it(`${JSON.stringify(headers)}: 403`, async () => {
      const response = await request('POST /api/feed', { headers, body });
      assertProblem(response, 403, 'forbidden_origin');
      assertOpen(response);
    });
  }

  for (const headers of [
    {},
    { Origin: 'http://localhost:5173' },
    { Origin: 'http://LOCALHOST', 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
  ]) {
    it(`${JSON.stringify(headers)}: 201`, async () => {
      assert.equal((await request('POST /api/feed', { headers, body })).status, 201);
    });
  }

  it('any Origin: 201 if every origin is allowed', async (t) => {
    const open = await setUp(
      t,
      {},
      { accessPolicy: { allowedHosts: null, allowedOrigins: null, isLocal: false } },
    );
    assert.equal((await open.request('POST /api/feed', { headers: { Origin }, body })).status, 201);
  });
});

describe('on a loopback address the Host check covers every path', async () => {
  const local = await setUp({ after }, {}, { accessPolicy: LOCAL });
  const lines = ['GET /', 'GET /api/feed', 'HEAD /feed.xml', 'GET /healthz', 'POST /api/feed'];
  for (const line of [...lines, 'OPTIONS /api/feed', 'GET /no/such']) {
    it(`${line} with a foreign Host: 403`, async () => {
      const body = line.startsWith('POST') ? { message: 'x' } : undefined;
      for (const Host of ['rebind.evil.example', 'localhost.evil.example', '192.0.2.1'])
        assert.equal((await local.request(line, { headers: { Host }, body })).status, 403, Host);
      for (const Host of ['127.0.0.1', 'localhost:99'])
        assert.notEqual((await local.request(line, { headers: { Host }, body })).status, 403, Host);
    });
  }

  it('GET /api/feed without Host on HTTP/1.0: 200', async () => {
    assert.match(await sendBytes(local.url, 'GET /api/feed HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  });

  it('GET /api/feed with any Host: 200 on another address', async () => {
    assert.equal((await request('GET /api/feed', { headers: { Host: 'any.example' } })).status, 200);
  });
});

it('a 429 of /mcp has CORS headers for an allowed origin', async () => {
  const headers = { ...forwardedFor('192.0.2.9'), Origin: 'http://localhost:5173' };
  const responses = [await rpc('ping', {}, headers), await rpc('ping', {}, headers)];
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual(statuses, [200, 429]);
  for (const one of responses) assert.equal(one.header('Access-Control-Allow-Origin'), headers.Origin);
  assert.match(responses[1]!.header('Access-Control-Expose-Headers'), /Retry-After/);
});
