import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, MCP_ACCEPT, NO_LIMITS, PROJECT, setUp } from '../../support/http/test-app.ts';
import { hide } from '../../support/store/writes.ts';
import { firstOf } from '../../support/thorough.ts';

const { request, clock, store } = await setUp({ after }, { limits: NO_LIMITS });
await request('POST /api/feed', {
  body: { message: 'A message of some length. '.repeat(50), replyTo: IDEA },
});

/** Reads of the store. */
const LIVE = [
  ...['/api/feed', '/api/feed?limit=1', `/api/posts/${IDEA}`, '/api/guestbook', '/api/projects'],
  ...[`/api/projects/${PROJECT}`, '/api/protocol', '/api/start', '/api/work', '/api/moderation'],
  ...['/feed.xml', '/feed.atom', '/feed.json?prefix=IDEA', `/posts/${IDEA}/feed.atom`],
  ...['/', `/posts/${IDEA}`, `/posts/${IDEA}.md`],
];
const DOCUMENTS = [
  ...['/openapi.json', '/.well-known/porchlight.json', '/mcp/server-card', '/.well-known/ai-catalog.json'],
  ...['/llms.txt', '/robots.txt', '/sitemap.xml', '/.well-known/api-catalog'],
];
/** What changes without a write. */
const BY_THE_CLOCK = ['/api/start', '/api/work', '/'];
/** What also depends on Accept. */
const PAGES = ['/', `/posts/${IDEA}`, `/posts/${IDEA}.md`];
/** Those whose body here is under a kilobyte. */
const SMALL = [
  ...['/api/guestbook', '/api/projects', `/api/projects/${PROJECT}`, '/api/moderation', '/mcp/server-card'],
  ...['/.well-known/ai-catalog.json', '/robots.txt', '/sitemap.xml', '/.well-known/api-catalog'],
];

const GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };

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

describe('a read is sent as gzip to a client that accepts it, unless it is small, and HEAD has its headers', () => {
  for (const path of [...LIVE, ...DOCUMENTS]) {
    it(path, async () => {
      const plain = await request(`GET ${path}`);
      const compressed = await request(`GET ${path}`, { headers: GZIP });
      const head = await request(`HEAD ${path}`);
      const others = PAGES.includes(path) ? 'Accept, ' : path === '/api/start' ? 'Authorization, ' : '';
      for (const response of [plain, compressed]) {
        assert.deepEqual([response.status, response.header('Vary')], [200, `${others}Accept-Encoding`]);
        assert.equal(response.header('Content-Length'), `${response.body.length}`);
        assert.equal(response.header('X-Content-Type-Options'), 'nosniff');
        // The proxy that ends TLS sends it.
        assert.equal(response.headers['strict-transport-security'], undefined);
      }
      assert.deepEqual([head.text, head.headers], ['', { ...plain.headers, date: head.headers.date }]);
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(compressed.text, plain.text);
      if (SMALL.includes(path)) {
        assert.deepEqual(compressed.headers, { ...plain.headers, date: compressed.headers.date });
        return;
      }
      assert.equal(compressed.header('Content-Encoding'), 'gzip');
      assert.ok(compressed.body.length < plain.body.length);
      assert.equal(compressed.header('Content-Type'), plain.header('Content-Type'));
      assert.notEqual(compressed.header('ETag'), plain.header('ETag'));
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
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual(statuses, [201, 422, 201, 404, 422, 404, 200]);
  for (const { headers } of responses)
    assert.deepEqual(
      [headers['cache-control'], headers.etag, headers['x-content-type-options']],
      ['no-store', undefined, 'nosniff'],
    );
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

it('each encoding is 304 for its own ETag only, with Vary and without Content-Encoding', async () => {
  const path = '/api/feed';
  const tags: Record<string, string> = {};
  for (const encoding of ['gzip', 'identity'])
    tags[encoding] = (await request(`GET ${path}`, { headers: { 'Accept-Encoding': encoding } })).header(
      'ETag',
    );
  for (const encoding of ['gzip', 'identity']) {
    for (const [known, etag] of Object.entries(tags)) {
      for (const method of ['GET', 'HEAD']) {
        const response = await request(`${method} ${path}`, {
          headers: { 'Accept-Encoding': encoding, 'If-None-Match': etag },
        });
        assert.equal(response.status, known === encoding ? 304 : 200, `${known} for ${encoding}`);
        const seen = [response.header('ETag'), response.header('Vary')];
        assert.deepEqual(seen, [tags[encoding], 'Accept-Encoding']);
        if (response.status === 304) assert.equal(response.headers['content-encoding'], undefined);
      }
    }
  }
});

it('writes, errors, waits, MCP and /healthz are not compressed', async () => {
  const headers = GZIP;
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const message = 'x'.repeat(2000);
  const responses = [
    await request('POST /api/feed', { headers, body: { message } }),
    await request('GET /api/updates?wait=0&after=2000-01-01T00:00:00Z', { headers }),
    await request('POST /mcp', { headers: { ...headers, ...MCP_ACCEPT }, body: list }),
    await request('GET /api/feed?limit=0', { headers }),
    await request('GET /no/such', { headers }),
    await request('GET /healthz', { headers }),
  ];
  const seen = responses.map((response) => [response.status, response.headers['content-encoding']]);
  assert.deepEqual(
    seen,
    [201, 200, 200, 422, 404, 200].map((status) => [status, undefined]),
  );
  assert.ok(responses.slice(1, 3).every(({ body }) => body.length > 2000));
});
