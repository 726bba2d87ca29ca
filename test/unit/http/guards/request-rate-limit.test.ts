import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { forwardedFor, BEHIND_PROXY, setUp } from '../../../support/http/test-app.ts';
import { assertProblem, assertRpcProblem } from '../../../support/http/problem.ts';
import type { RequestOptions } from '../../../support/http/send-request.ts';

const LIMIT = 5;

const REQUESTS: [name: string, status: number, line: string, options: RequestOptions][] = [
  ['a preflight', 204, 'OPTIONS /api/feed', { headers: { 'Access-Control-Request-Method': 'GET' } }],
  ['a foreign Host on /mcp', 403, 'POST /mcp', { headers: { Host: 'elsewhere.example' }, body: {} }],
  ['a foreign Origin on /mcp', 403, 'POST /mcp', { headers: { Origin: 'https://a.example' }, body: {} }],
  [
    'a foreign Origin of a write',
    403,
    'POST /api/feed',
    { headers: { Origin: 'https://a.example' }, body: {} },
  ],
  ['a target that is too long', 414, `GET /api/feed?x=${'x'.repeat(8000)}`, {}],
  ['a bad percent-encoding', 400, 'GET /%', {}],
  ['an unknown path', 404, 'GET /nothing', {}],
  ['an invalid message', 400, 'POST /mcp', { body: {} }],
  ['a post', 201, 'POST /api/feed', { body: { message: 'x' } }],
  ['an invalid post', 422, 'POST /api/feed', { body: {} }],
  ['a read, made or from the cache', 200, 'GET /api/feed', {}],
  ['an invalid read', 422, 'GET /api/feed?limit=0', {}],
];

const { request, rpc } = await setUp({ after }, { limits: { requestsPerMinute: LIMIT } }, BEHIND_PROXY);

for (const [index, [name, status, line, options]] of REQUESTS.entries())
  test(`the request rate limit counts ${name}`, async () => {
    const headers = { ...options.headers, ...forwardedFor(`192.0.2.${index}`) };
    const statuses: number[] = [];
    for (let n = 0; n < LIMIT + 2; n++) statuses.push((await request(line, { ...options, headers })).status);
    assert.deepEqual(statuses, [...Array<number>(LIMIT).fill(status), 429, 429]);
    const refused = await request('GET /no/such', { headers });
    assertProblem(refused, 429, 'rate_limited');
    assert.equal(refused.json.limit, 'requestsPerMinute');
    const seconds = Number(refused.header('Retry-After'));
    assert.ok(seconds >= 1 && seconds <= 60 && seconds === refused.json.retryAfterSeconds);
    assertRpcProblem(await rpc('ping', {}, headers), 429, 'rate_limited', -32000);
  });

test('the page of a refused request says when to try again, and still gets its style sheet and icons', async (t) => {
  const { request } = await setUp(t, { limits: { requestsPerMinute: LIMIT } }, BEHIND_PROXY);
  const headers = { Accept: 'text/html', ...forwardedFor('192.0.2.1') };
  for (let n = 0; n < LIMIT; n++) await request('GET /about', { headers });
  const refused = await request('GET /about', { headers });
  assert.equal(refused.status, 429);
  assert.match(refused.text, /too many requests from your network\. Try again in \d+ seconds?\.<\/p>/);
  const [, style = ''] = /rel="stylesheet" href="([^"]+)"/.exec(refused.text) ?? [];
  for (const path of [style, '/icon.svg', '/favicon.ico'])
    assert.equal((await request(`GET ${path}`, { headers })).status, 200, path);
  const [first, last] = await Promise.all([1, LIMIT].map(() => request(`GET ${style}`, { headers })));
  assert.deepEqual([first?.status, last?.status], [200, 200]);
  assert.equal((await request(`GET ${style}`, { headers })).status, 429);
});
