import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, MCP_ACCEPT, NO_LIMITS, PROJECT, setUp } from '../../support/http/test-app.ts';
import { firstOf } from '../../support/thorough.ts';

const { request, clock } = await setUp({ after }, { limits: NO_LIMITS });
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
      const known = { ...GZIP, 'If-None-Match': compressed.header('ETag') };
      const same = await request(`GET ${path}`, { headers: known });
      assert.deepEqual([same.status, same.headers['content-encoding']], [304, undefined]);
      const other = { 'If-None-Match': compressed.header('ETag') };
      assert.equal((await request(`GET ${path}`, { headers: other })).status, 200);
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

it('writes, errors, waits, MCP and /healthz are neither stored nor compressed', async () => {
  const known = { headers: { ...GZIP, 'If-None-Match': '*' } };
  const message = 'x'.repeat(2000);
  const mcp = { headers: { ...GZIP, ...MCP_ACCEPT }, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } };
  for (const [line, status, options] of [
    ['POST /api/feed', 201, { headers: GZIP, body: { message } }],
    ['POST /api/feed', 422, { headers: GZIP, body: {} }],
    ['POST /api/guestbook', 201, { headers: GZIP, body: { name: 'a', note: 'b' } }],
    ['GET /api/updates?wait=0&after=2000-01-01T00:00:00Z', 200, known],
    ['POST /mcp', 200, mcp],
    ['GET /api/posts/x', 404, known],
    ['GET /api/feed?limit=0', 422, known],
    ['GET /no/such', 404, known],
    ['GET /healthz', 200, known],
  ] as const) {
    const response = await request(line, options);
    const { headers } = response;
    assert.deepEqual(
      [response.status, headers['content-encoding'], headers.etag],
      [status, undefined, undefined],
    );
    assert.equal(headers['x-content-type-options'], 'nosniff');
    if (line !== 'POST /mcp') assert.equal(headers['cache-control'], 'no-store', line);
  }
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
