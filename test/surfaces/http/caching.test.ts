import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, PROJECT, setUp } from '../../support/http/setting.ts';

const { ask, clock, store } = await setUp({ after });

const LIVE = [
  '/api/feed',
  '/api/feed?limit=1',
  `/api/posts/${IDEA}`,
  '/api/guestbook',
  '/api/projects',
  `/api/projects/${PROJECT}`,
  '/api/protocol',
  '/api/start',
  '/feed.xml',
  '/',
  `/posts/${IDEA}`,
];
const DOCUMENTS = [
  '/openapi.json',
  '/.well-known/porchlight.json',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/llms.txt',
];

describe('every read carries a strong ETag and answers 304', () => {
  for (const path of [...LIVE, ...DOCUMENTS]) {
    it(path, async () => {
      const first = await ask(`GET ${path}`);
      const etag = first.header('ETag');
      assert.match(etag, /^"[A-Za-z0-9_-]{20,}"$/);
      const cache = DOCUMENTS.includes(path) ? 'public, max-age=300' : 'public, no-cache';
      assert.equal(first.header('Cache-Control'), cache);
      clock.advance(1000);
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const again = await ask(`${method} ${path}`, { headers: { 'If-None-Match': known } });
          assert.deepEqual([again.status, again.text], [304, ''], known);
          assert.deepEqual([again.header('ETag'), again.header('Cache-Control')], [etag, cache]);
          assert.equal(again.headers['link'], first.headers['link']);
        }
      }
      const other = await ask(`GET ${path}`, {
        headers: { 'If-None-Match': '"x"', 'If-Modified-Since': new Date().toUTCString() },
      });
      assert.deepEqual([other.status, other.text], [200, first.text]);
    });
  }
});

describe('what changed has another ETag', () => {
  const CHANGES: [what: string, path: string, change: () => Promise<unknown>][] = [
    ['a post', '/api/feed', () => ask('POST /api/feed', { body: { message: 'x' } })],
    ['a reply', `/posts/${IDEA}`, () => ask('POST /api/feed', { body: { message: 'x', replyTo: IDEA } })],
    ['a post', '/feed.xml', () => ask('POST /api/feed', { body: { message: 'x' } })],
    [
      'a note',
      '/api/projects',
      () => ask(`POST /api/projects/${PROJECT}/notes`, { body: { name: 'a', note: 'b' } }),
    ],
    ['a hidden post', '/', () => store.write((writer) => writer.hide(IDEA, 'a test'))],
  ];
  for (const [what, path, change] of CHANGES) {
    it(`${path} with ${what}`, async () => {
      const known = (await ask(`GET ${path}`)).header('ETag');
      await change();
      const told = await ask(`GET ${path}`, { headers: { 'If-None-Match': known } });
      assert.equal(told.status, 200);
      assert.notEqual(told.header('ETag'), known);
    });
  }
});

it('writes, errors and /healthz are no-store, without an ETag', async () => {
  const told = [
    await ask('POST /api/feed', { body: { message: 'x' } }),
    await ask('POST /api/feed', { body: {} }),
    await ask('POST /api/guestbook', { body: { name: 'a', note: 'b' } }),
    await ask('GET /api/posts/x', { headers: { 'If-None-Match': '*' } }),
    await ask('GET /api/feed?limit=0', { headers: { 'If-None-Match': '*' } }),
    await ask('GET /no/such'),
    await ask('GET /healthz'),
  ];
  assert.deepEqual(
    told.map(({ status }) => status),
    [201, 422, 201, 404, 422, 404, 200],
  );
  for (const { headers } of told)
    assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined]);
});

it('READ_MAX_AGE raises what a cache may keep of live reads, and of nothing else', async () => {
  const behindCdn = await setUp({ after }, {}, { readMaxAge: 20 });
  for (const path of LIVE)
    assert.equal(
      (await behindCdn.ask(`GET ${path}`)).header('Cache-Control'),
      'public, max-age=20, stale-while-revalidate=0',
    );
  for (const path of DOCUMENTS)
    assert.equal((await behindCdn.ask(`GET ${path}`)).header('Cache-Control'), 'public, max-age=300');
  assert.equal((await behindCdn.ask('GET /healthz')).header('Cache-Control'), 'no-store');
});
