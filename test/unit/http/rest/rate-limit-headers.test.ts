import assert from 'node:assert/strict';
import test from 'node:test';
import { NO_LIMITS, PROJECT, setUp } from '../../../support/http/test-app.ts';
import type { HttpResponse } from '../../../support/http/send-request.ts';

const quota = ({ headers }: HttpResponse) => [headers['ratelimit-policy'], headers['ratelimit']];

const FEED = '"productionPostsPerNetworkPerHour";q=2;w=3600';
const feed = (left: number, seconds: number): unknown[] => [
  FEED,
  `"productionPostsPerNetworkPerHour";r=${left};t=${seconds}`,
];

const PORCH = '"porchWritesPerVisitorPerHour";q=10;w=3600, "porchWritesPerVisitorPerDay";q=40;w=86400';
const porch = (left: number): unknown[] => [
  PORCH,
  `"porchWritesPerVisitorPerHour";r=${left};t=3600, "porchWritesPerVisitorPerDay";r=${left + 30};t=86400`,
];

const REFUSED: [name: string, status: number, options: object][] = [
  ['a wrong field', 422, { body: { message: '' } }],
  ['a wrong target', 422, { body: { message: 'x', replyTo: 'x' } }],
  ['no JSON', 400, { body: '{' }],
  ['no body', 400, { headers: { 'Content-Type': 'application/json' } }],
  ['plain text', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
  ['gzip', 415, { body: 'x', headers: { 'Content-Encoding': 'gzip' } }],
  ['over 256 KiB', 413, { body: 'x'.repeat(262_145) }],
  ['a wrong key', 422, { body: { message: 'x' }, headers: { 'Idempotency-Key': 'x' } }],
];

test('a 201 and a 429 of a post have RateLimit-Policy and RateLimit, an error that counts against no limit has neither', async (t) => {
  const { request, clock } = await setUp(t, { limits: { feedPostsPerHour: 2 } });
  for (const [name, status, options] of REFUSED) {
    const response = await request('POST /api/feed', options);
    assert.deepEqual([response.status, ...quota(response)], [status, undefined, undefined], name);
  }
  const post = () => request('POST /api/feed', { body: { message: 'x' } });
  assert.deepEqual(quota(await post()), feed(1, 3600));
  clock.advance(600_000);
  assert.deepEqual(quota(await post()), feed(0, 3000), 'seconds until the next free place');
  clock.advance(500);
  const refused = await post();
  assert.deepEqual([refused.status, ...quota(refused)], [429, ...feed(0, 3000)]);
  assert.equal(refused.headers['retry-after'], '3000', 'rounded up');
  for (const [name, status, options] of REFUSED.slice(2)) {
    const response = await request('POST /api/feed', options);
    assert.deepEqual([response.status, ...quota(response)], [status, undefined, undefined], name);
  }
  clock.advance(2_999_500);
  assert.deepEqual(quota(await post()), feed(0, 600));
});

test('a 201 of a porch write has the hourly and the daily limit in its RateLimit headers', async (t) => {
  const { request } = await setUp(t);
  const WRITES: [line: string, body: object, status: number, left: number][] = [
    ['POST /api/guestbook', { name: 'a', note: 'b' }, 201, 9],
    ['POST /api/guestbook', {}, 422, 9],
    ['POST /api/projects', { title: 'a', summary: 'b', by: 'c' }, 201, 8],
    ['POST /api/projects', { title: 'http://a http://b http://c', summary: 'b', by: 'c' }, 422, 8],
    [`POST /api/projects/${PROJECT}/notes`, { name: 'a', note: 'b' }, 201, 7],
    ['POST /api/projects/x/notes', { name: 'a', note: 'b' }, 404, 7],
  ];
  for (const [line, body, status, left] of WRITES) {
    const response = await request(line, { body });
    const expected = status === 201 ? porch(left) : [undefined, undefined];
    assert.deepEqual([response.status, ...quota(response)], [status, ...expected], line);
  }
});

test('a limit of 0 is no limit, and has no RateLimit header', async (t) => {
  const { request } = await setUp(t, { limits: { ...NO_LIMITS, porchWritesPerDay: 3 } });
  const response = await request('POST /api/guestbook', { body: { name: 'a', note: 'b' } });
  assert.deepEqual(quota(response), [
    '"porchWritesPerVisitorPerDay";q=3;w=86400',
    '"porchWritesPerVisitorPerDay";r=2;t=86400',
  ]);
  for (const line of ['POST /api/feed', 'GET /api/feed']) {
    const body = line.startsWith('POST') ? { message: 'x' } : undefined;
    assert.deepEqual(quota(await request(line, { body })), [undefined, undefined], line);
  }
});

test('the protocol, start and discovery documents show the configured limits', async (t) => {
  const { request } = await setUp(t, {
    limits: { feedPostsPerHour: 5, porchWritesPerHour: 6, porchWritesPerDay: 0, requestsPerMinute: 800 },
  });
  const expected = {
    messageCharacters: 8000,
    productionPostsPerNetworkPerHour: 5,
    porchWritesPerVisitorPerHour: 6,
    porchWritesPerVisitorPerDay: 0,
    linksPerPorchText: 2,
    requestsPerMinute: 800,
    waitsPerNetwork: 50,
    reportsPerNetworkPerHour: 20,
    everybodyPerMinute: 0,
  };
  for (const path of ['/api/protocol', '/api/start', '/.well-known/porchlight.json']) {
    assert.deepEqual((await request(`GET ${path}`)).json.limits, expected);
  }
});
