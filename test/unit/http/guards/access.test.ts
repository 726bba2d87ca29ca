import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { AccessPolicy } from '#http/guards/access.ts';
import { assertProblem, assertRpcProblem } from '../../../support/http/problem.ts';
import { sendBytes, type HttpResponse } from '../../../support/http/send-request.ts';
import { BEHIND_PROXY, forwardedFor, IDEA, setUp, type TestApp } from '../../../support/http/test-app.ts';

const FOREIGN = 'https://zebra.example';
const ALLOWED = 'http://localhost:5173';
const FROM_PAGE = { message: 'from a page' };

let stopping = false;
const place = await setUp(
  { after },
  { limits: { requestsPerMinute: 1 } },
  { ...BEHIND_PROXY, stopping: () => stopping },
);
const { request, rpc } = place;

const withPolicy = (accessPolicy: Partial<AccessPolicy>): Promise<TestApp> => {
  const policy = { allowedHosts: ['127.0.0.1'], allowedOrigins: [], isLocal: false, ...accessPolicy };
  return setUp({ after }, { limits: { requestsPerMinute: 0 } }, { accessPolicy: policy });
};
const open = await withPolicy({ allowedOrigins: null });
const named = await withPolicy({ allowedHosts: ['a.example', 'b.example:81'] });
const anyHost = await withPolicy({ allowedHosts: null });
const local = await withPolicy({
  allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
  allowedOrigins: ['http://localhost', 'https://app.example'],
  isLocal: true,
});

const readers = ({ headers }: HttpResponse) => headers['access-control-allow-origin'];

const preflight = (app: TestApp, path: string, origin: string | undefined, method = 'POST') =>
  app.request(`OPTIONS ${path}`, {
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
    },
  });

describe('at /mcp only allowed origins may call, and read the answer', () => {
  for (const [app, origins, granted] of [
    [place, [undefined], 204],
    [place, [FOREIGN], 403],
    [place, ['http://localhost', ALLOWED], 204],
    [open, [FOREIGN, 'http://127.0.0.1:1', 'null'], 204],
  ] as const)
    for (const Origin of origins)
      it(`${Origin}: ${granted}`, async () => {
        const answers = [await preflight(app, '/mcp', Origin), await app.rpc('ping', {}, { Origin })];
        const statuses = answers.map(({ status }) => status);
        assert.deepEqual(statuses, [granted, granted === 204 ? 200 : 403]);
        for (const answer of answers) {
          assert.equal(readers(answer), granted === 204 ? Origin : undefined);
          assert.equal(answer.headers['access-control-allow-credentials'], undefined);
          if (granted === 403) assertRpcProblem(answer, 403, 'forbidden_origin', -32000);
          else if (Origin !== undefined) assert.match(answer.header('Vary'), /Origin/);
        }
        if (granted === 204)
          assert.match(answers[0]!.header('Access-Control-Allow-Headers'), /mcp-protocol-version/);
      });

  it('a 405 has no CORS header, and a 429 those of an allowed origin', async () => {
    assert.deepEqual(readers(await request('GET /mcp')), undefined);
    const headers = { ...forwardedFor('192.0.2.9'), Origin: ALLOWED };
    const responses = [await rpc('ping', {}, headers), await rpc('ping', {}, headers)];
    const statuses = responses.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 429]);
    for (const one of responses) assert.equal(readers(one), ALLOWED);
    assert.match(responses[1]!.header('Access-Control-Expose-Headers'), /Retry-After/);
  });
});

describe('a Host is accepted by its address in any spelling, with the port of its entry or any', () => {
  const HOSTS: [what: string, app: TestApp, accepted: string[], refused: string[]][] = [
    [
      'one host',
      place,
      ['127.0.0.1', '127.0.0.1:1', '127.0.0.1:8787', '127.0.0.1.', '127.0.0.1.:8787'],
      ['127.0.0.1:99999', 'zebra.example'],
    ],
    ['every origin', open, ['127.0.0.1'], ['zebra.example']],
    ['two names', named, ['A.Example:5', 'b.example:81'], ['b.example', 'b.example:82']],
    [
      'every host',
      anyHost,
      ['zebra.example', 'a_b:81', '[::1]:81', '192.0.2.7', 'xn--bcher-kva.example'],
      [
        ...['][', 'zebra example', 'a:b', 'http://zebra', '/', '%zz', '[::1', '@', '?', '1.2.3.4.5'],
        ...['a,b', 'a:99999'],
      ],
    ],
    [
      'a loopback address',
      local,
      ['[::1]:1', '[0:0:0:0:0:0:0:1]:1', '[0000::0001]', '127.1:1', 'LOCALHOST.:1'],
      ['[::2]:1', '[0:0:0:0:0:0:1:1]:1', '127.0.0.2'],
    ],
  ];
  for (const [what, app, accepted, refused] of HOSTS)
    it(what, async () => {
      for (const Host of accepted) assert.equal((await app.rpc('ping', {}, { Host })).status, 200, Host);
      for (const Host of refused) {
        const response = await app.rpc('ping', {}, { Host });
        assertRpcProblem(response, 403, 'forbidden_host', -32000);
        assert.match(response.json.error.message, /ALLOWED_HOSTS or change BASE_URL/);
      }
    });

  it('a foreign one is refused for every spelling of the path that reaches /mcp', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    for (const target of [
      ...['/mcp', '/mcp/', '/mcp?x', '//mcp', '/mcp#x', '/mcp/#x', '/mcp#x?y'],
      ...['/mcp\u00a0', 'http://a.example/mcp'],
    ]) {
      const head = `POST ${target} HTTP/1.1\r\nHost: zebra.example\r\nConnection: close\r\nContent-Type: application/json`;
      const response = await sendBytes(place.url, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      assert.match(response, /^HTTP\/1\.1 40[034] /, target);
      assert.doesNotMatch(response, /"result"/, target);
    }
  });

  for (const line of [
    'GET /',
    'GET /api/feed',
    'HEAD /feed.xml',
    'POST /api/feed',
    'OPTIONS /api/feed',
    'GET /no/such',
  ])
    it(`on a loopback address ${line} with a foreign one is 403`, async () => {
      const body = line.startsWith('POST') ? FROM_PAGE : undefined;
      const statusOf = async (Host: string) =>
        (await local.request(line, { headers: { Host }, body })).status;
      for (const Host of ['rebind.evil.example', 'localhost.evil.example', '192.0.2.1'])
        assert.equal(await statusOf(Host), 403, Host);
      for (const Host of ['127.0.0.1', 'localhost:99']) assert.notEqual(await statusOf(Host), 403, Host);
    });

  it('none is needed on HTTP/1.0, and elsewhere a read takes any', async () => {
    assert.match(await sendBytes(local.url, 'GET /api/feed HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
    assert.equal((await request('GET /api/feed', { headers: { Host: 'any.example' } })).status, 200);
  });
});

const EXPOSED =
  'ETag,Link,Location,Retry-After,RateLimit,RateLimit-Policy,Idempotency-Replayed,Ignored-Parameters';

function assertOpen(response: HttpResponse): void {
  assert.equal(readers(response), '*');
  assert.equal(response.headers['access-control-allow-credentials'], undefined);
  assert.equal(response.header('Access-Control-Expose-Headers'), EXPOSED);
}

/** Requests of a foreign origin, and their status. */
const RESPONSES: [line: string, status: number, body?: unknown][] = [
  ['GET /api/feed', 200],
  ['HEAD /api/feed', 200],
  ['GET /', 200],
  ['GET /feed.xml', 200],
  ['GET /mcp/server-card', 200],
  ['GET /healthz', 200],
  [`GET /posts/${IDEA}`, 200],
  ['POST /api/feed', 403, FROM_PAGE],
  ['POST /no/such', 403, {}],
  ['GET /api/posts/x', 404],
  ['GET /no/such', 404],
  ['DELETE /api/feed', 405],
  ['GET /api/posts/%ff', 400],
  [`GET /${'x'.repeat(8001)}`, 414],
];

describe('every response of REST allows any origin to read it, on a loopback address allowed ones', () => {
  for (const [line, status, body] of RESPONSES)
    it(`${line.slice(0, 40)}: ${status}`, async () => {
      const response = await request(line, { headers: { Origin: FOREIGN }, body });
      assert.equal(response.status, status);
      assertOpen(response);
      if (line.startsWith('POST')) return;
      for (const Origin of [FOREIGN, 'null', 'http://localhost.evil.example', undefined, ALLOWED]) {
        const onLoopback = await local.request(line, { headers: { Origin } });
        const granted = Origin === ALLOWED ? ALLOWED : undefined;
        assert.deepEqual([onLoopback.status, readers(onLoopback)], [status, granted], Origin);
        assert.match(onLoopback.header('Vary'), /\bOrigin\b/, Origin);
      }
    });

  it('a 304, a 429 and a 503 while the service stops', async () => {
    const headers = forwardedFor('192.0.2.1');
    const responses = [
      await request('GET /', { headers: { Origin: FOREIGN, 'If-None-Match': '*' } }),
      await request('GET /', { headers }),
      await request('GET /', { headers }),
    ];
    stopping = true;
    responses.push(await request('GET /api/feed'));
    stopping = false;
    const statuses = responses.map(({ status }) => status);
    assert.deepEqual(statuses, [304, 200, 429, 503]);
    responses.forEach(assertOpen);
  });

  it('on a loopback address a 304 and gzip keep both names in Vary', async () => {
    for (const [Origin, granted] of [[FOREIGN], [undefined], [ALLOWED, ALLOWED]]) {
      const headers = { Origin, 'Accept-Encoding': 'gzip' };
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

  it('on a loopback address writes, preflights and /mcp', async () => {
    for (const [Origin, statuses, granted] of [
      [FOREIGN, [403, 204, 403], undefined],
      [ALLOWED, [201, 204, 200], ALLOWED],
    ] as const) {
      const responses = [
        await local.request('POST /api/feed', { headers: { Origin }, body: FROM_PAGE }),
        await preflight(local, '/api/log', Origin, 'GET'),
        await local.rpc('ping', {}, { Origin }),
      ];
      assert.deepEqual(
        responses.map((response) => [response.status, readers(response)]),
        statuses.map((status) => [status, granted]),
      );
    }
  });
});

describe('a preflight grants POST to allowed origins only', () => {
  for (const path of ['/api/feed', '/feed.xml', '/api/projects/x/notes', '/no/such'])
    for (const [origin, granted] of [
      [FOREIGN, 'GET,HEAD'],
      ['null', 'GET,HEAD'],
      [ALLOWED, 'GET,HEAD,POST'],
    ] as const)
      it(`${path} for ${origin}`, async () => {
        for (const method of ['GET', 'POST']) {
          const response = await preflight(place, path, origin, method);
          const seen = [response.status, response.text, response.header('Access-Control-Max-Age')];
          assert.deepEqual(seen, [204, '', '600']);
          assert.equal(readers(response), '*');
          assert.equal(response.header('Access-Control-Allow-Methods'), granted);
          assert.equal(response.header('Access-Control-Allow-Headers'), 'content-type,mcp-protocol-version');
        }
      });
});

describe('a POST of a page needs an allowed origin', () => {
  for (const [app, status, headers] of [
    [place, 403, { Origin: FOREIGN }],
    [place, 403, { Origin: 'null' }],
    [place, 403, { Origin: '' }],
    [place, 403, { Origin: 'http://localhost.evil.example' }],
    [place, 403, { 'Sec-Fetch-Site': 'cross-site' }],
    // A simple request, which a browser sends without a preflight.
    [place, 403, { Origin: FOREIGN, 'Content-Type': 'text/plain' }],
    [place, 201, {}],
    [place, 201, { Origin: ALLOWED }],
    [place, 201, { Origin: 'http://LOCALHOST', 'Sec-Fetch-Site': 'cross-site' }],
    [place, 201, { 'Sec-Fetch-Site': 'same-origin' }],
    [place, 201, { 'Sec-Fetch-Site': 'none' }],
    [open, 201, { Origin: FOREIGN }],
  ] as const)
    it(`${JSON.stringify(headers)}: ${status}`, async () => {
      const response = await app.request('POST /api/feed', { headers: { ...headers }, body: FROM_PAGE });
      assertOpen(response);
      if (status === 403) assertProblem(response, 403, 'forbidden_origin');
      else assert.equal(response.status, 201);
    });
});

describe('on a loopback address', () => {
  const CROSS = { 'Sec-Fetch-Site': 'cross-site' };
  const SCRIPT = { ...CROSS, 'Sec-Fetch-Mode': 'cors' };
  const read = (headers: Record<string, string>) => local.request('GET /api/protocol', { headers });
  for (const [what, status, headers] of [
    ['an image of a page of another site', 403, { ...CROSS, 'Sec-Fetch-Mode': 'no-cors' }],
    ['a request of a browser that says no mode', 403, CROSS],
    ['a script of a page of another site', 403, { ...SCRIPT, Origin: FOREIGN }],
    ['a script of an allowed origin', 200, { ...SCRIPT, Origin: 'https://app.example' }],
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
    const elsewhere = await request('GET /api/protocol', { headers: CROSS });
    const seen = [elsewhere.status, elsewhere.header('Cross-Origin-Resource-Policy')];
    assert.deepEqual(seen, [200, 'cross-origin']);
  });
});
