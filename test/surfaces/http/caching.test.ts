import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, PROJECT, setUp } from '../../support/http/test-app.ts';
import { hide } from '../../support/store/writes.ts';
import { firstOf } from '../../support/thorough.ts';

const { request, clock, store } = await setUp({ after });

/** Of `LIVE`, what changes without a write. */
const BY_THE_CLOCK = ['/api/start', '/api/work', '/'];

const LIVE = [
  '/api/feed',
  '/api/feed?limit=1',
  `/api/posts/${IDEA}`,
  '/api/guestbook',
  '/api/projects',
  `/api/projects/${PROJECT}`,
  '/api/protocol',
  '/api/start',
  '/api/work',
  '/feed.xml',
  '/feed.atom',
  '/feed.json?prefix=IDEA',
  `/posts/${IDEA}/feed.atom`,
  '/',
  `/posts/${IDEA}`,
];
const DOCUMENTS = [
  ...['/openapi.json', '/.well-known/porchlight.json', '/mcp/server-card', '/.well-known/ai-catalog.json'],
  ...['/llms.txt', '/robots.txt', '/sitemap.xml', '/.well-known/api-catalog'],
];

/** How a client may name what it has. */
const KNOWN = ['E', 'W/E', '"x", E', '*'];

describe('every read has a strong ETag, and is 304 for a request with it', () => {
  for (const [index, path] of [...LIVE, ...DOCUMENTS].entries()) {
    it(path, async () => {
      const first = await request(`GET ${path}`);
      const etag = first.header('ETag');
      assert.match(etag, /^"[A-Za-z0-9_-]{20,}"$/);
      const cache = DOCUMENTS.includes(path) ? 'public, max-age=300' : 'public, no-cache';
      assert.equal(first.header('Cache-Control'), cache);
      clock.advance(1000);
      for (const form of index === 0 ? KNOWN : firstOf(KNOWN)) {
        const known = form.replace('E', etag);
        for (const method of ['GET', 'HEAD']) {
          const again = await request(`${method} ${path}`, { headers: { 'If-None-Match': known } });
          assert.deepEqual([again.status, again.text], [304, ''], known);
          assert.deepEqual([again.header('ETag'), again.header('Cache-Control')], [etag, cache]);
          assert.equal(again.headers['link'], first.headers['link']);
        }
      }
      const other = await request(`GET ${path}`, {
        headers: { 'If-None-Match': '"x"', 'If-Modified-Since': new Date().toUTCString() },
      });
      assert.deepEqual([other.status, other.text], [200, first.text]);
    });
  }
});

it('find_work keeps its clock, with which due times are compared, for ten seconds', async () => {
  const first = await request('GET /api/work');
  const again = () => request('GET /api/work', { headers: { 'If-None-Match': first.header('ETag') } });
  clock.advance(9_999);
  assert.equal((await again()).status, 304);
  clock.advance(1);
  const later = await again();
  assert.equal(later.status, 200);
  assert.equal(Date.parse(later.json.now) - Date.parse(first.json.now), 10_000);
});

describe('a read after a change has a new ETag', () => {
  const CHANGES: [change: string, path: string, change: () => Promise<unknown>][] = [
    ['a post', '/api/feed', () => request('POST /api/feed', { body: { message: 'x' } })],
    ['a reply', `/posts/${IDEA}`, () => request('POST /api/feed', { body: { message: 'x', replyTo: IDEA } })],
    ['a post', '/feed.json', () => request('POST /api/feed', { body: { message: 'x' } })],
    ['a post', '/feed.xml', () => request('POST /api/feed', { body: { message: 'x' } })],
    [
      'a note',
      '/api/projects',
      () => request(`POST /api/projects/${PROJECT}/notes`, { body: { name: 'a', note: 'b' } }),
    ],
    ['a hidden post', '/', () => hide(store, IDEA, 'a test')],
  ];
  for (const [what, path, change] of CHANGES) {
    it(`${path} after ${what}`, async () => {
      const known = (await request(`GET ${path}`)).header('ETag');
      await change();
      const response = await request(`GET ${path}`, { headers: { 'If-None-Match': known } });
      assert.equal(response.status, 200);
      assert.notEqual(response.header('ETag'), known);
    });
  }
});

it('writes, errors and /healthz have Cache-Control no-store and no ETag', async () => {
  const responses = [
    await request('POST /api/feed', { body: { message: 'x' } }),
    await request('POST /api/feed', { body: {} }),
    await request('POST /api/guestbook', { body: { name: 'a', note: 'b' } }),
    await request('GET /api/posts/x', { headers: { 'If-None-Match': '*' } }),
    await request('GET /api/feed?limit=0', { headers: { 'If-None-Match': '*' } }),
    await request('GET /no/such'),
    await request('GET /healthz'),
  ];
  assert.deepEqual(
    responses.map(({ status }) => status),
    [201, 422, 201, 404, 422, 404, 200],
  );
  for (const { headers } of responses)
    assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined]);
});

it('READ_MAX_AGE is the max-age of reads of the store that the clock does not change, and of no other response', async () => {
  const behindCdn = await setUp({ after }, {}, { readMaxAge: 20 });
  for (const path of LIVE)
    assert.equal(
      (await behindCdn.request(`GET ${path}`)).header('Cache-Control'),
      BY_THE_CLOCK.includes(path) ? 'public, no-cache' : 'public, max-age=20, stale-while-revalidate=0',
    );
  for (const path of DOCUMENTS)
    assert.equal((await behindCdn.request(`GET ${path}`)).header('Cache-Control'), 'public, max-age=300');
  assert.equal((await behindCdn.request('GET /healthz')).header('Cache-Control'), 'no-store');
});
