import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { from, IDEA, PROXIED, setUp } from '../support/http-setting.ts';
import type { Told } from '../support/http-wire.ts';

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

describe('CORS is open for every origin, whatever the answer', () => {
  const ANSWERS: [line: string, status: number, body?: unknown][] = [
    ['GET /api/feed', 200],
    ['HEAD /api/feed', 200],
    ['GET /', 200],
    ['GET /feed.xml', 200],
    ['GET /openapi.json', 200],
    ['GET /.well-known/porchlight.json', 200],
    ['GET /healthz', 200],
    [`GET /posts/${IDEA}`, 200],
    ['POST /api/feed', 201, { message: 'x' }],
    ['POST /api/feed', 422, {}],
    ['POST /api/feed', 400, '{'],
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

describe('the preflight lets every call of the interface through', () => {
  for (const [path, method, headers] of [
    ['/api/feed', 'POST', 'content-type,idempotency-key'],
    ['/api/feed', 'GET', 'if-none-match'],
    ['/feed.xml', 'GET', 'if-none-match'],
    ['/api/projects/x/notes', 'POST', 'content-type'],
    ['/no/such', 'GET', 'x-anything'],
  ] as const) {
    it(`${method} ${path} with ${headers}`, async () => {
      const told = await ask(`OPTIONS ${path}`, {
        headers: {
          Origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': headers,
        },
      });
      assert.deepEqual([told.status, told.text, told.header('Access-Control-Max-Age')], [204, '', '600']);
      assert.equal(told.header('Access-Control-Allow-Origin'), '*');
      assert.deepEqual(told.header('Access-Control-Allow-Methods').split(','), ['GET', 'HEAD', 'POST']);
      assert.equal(told.header('Access-Control-Allow-Headers'), headers);
    });
  }
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
