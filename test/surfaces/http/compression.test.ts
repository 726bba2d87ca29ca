import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, MCP_ACCEPT, PROJECT, setUp } from '../../support/http/test-app.ts';
import { erase } from '../../support/store/writes.ts';

const { request, store } = await setUp({ after });
await request('POST /api/feed', {
  body: { message: 'A message of some length. '.repeat(50), replyTo: IDEA },
});

const GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };

const READS = [
  '/api/feed',
  `/api/posts/${IDEA}`,
  '/api/guestbook',
  '/api/projects',
  `/api/projects/${PROJECT}`,
  '/api/protocol',
  '/api/start',
  '/api/work',
  '/api/moderation',
  '/feed.xml',
  '/',
  `/posts/${IDEA}`,
  `/posts/${IDEA}.md`,
  '/openapi.json',
  '/.well-known/porchlight.json',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/llms.txt',
];

/** Of `READS`, those that also depend on Accept. */
const PAGES = ['/', `/posts/${IDEA}`, `/posts/${IDEA}.md`];

/** Of `READS`, those whose body here is under a kilobyte. */
const SMALL = [
  '/api/guestbook',
  '/api/projects',
  `/api/projects/${PROJECT}`,
  '/api/moderation',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
];

describe('a read is sent as gzip to a client that accepts it, unless it is small', () => {
  for (const path of READS) {
    it(path, async () => {
      const plain = await request(`GET ${path}`);
      const compressed = await request(`GET ${path}`, { headers: GZIP });
      const others = PAGES.includes(path) ? 'Accept, ' : path === '/api/start' ? 'Authorization, ' : '';
      const vary = `${others}Accept-Encoding`;
      for (const response of [plain, compressed]) {
        assert.deepEqual([response.status, response.header('Vary')], [200, vary]);
        assert.equal(response.header('Content-Length'), `${response.body.length}`);
      }
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

it('each encoding is 304 for its own ETag only, with Vary and without Content-Encoding', async () => {
  const path = `/api/posts/${IDEA}`;
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
        assert.deepEqual(
          [response.header('ETag'), response.header('Vary')],
          [tags[encoding], 'Accept-Encoding'],
        );
        if (response.status === 304) assert.equal(response.headers['content-encoding'], undefined);
      }
    }
  }
});

it('a compressed read after a write has the change and a new ETag, and an erased text is in no compressed read', async () => {
  const before = await request('GET /api/feed', { headers: GZIP });
  const posted = await request('POST /api/feed', { body: { message: 'a text of zebras' } });
  const shown = await request('GET /api/feed', {
    headers: { ...GZIP, 'If-None-Match': before.header('ETag') },
  });
  assert.equal(shown.status, 200);
  assert.match(shown.text, /zebras/);
  await erase(store, posted.json.id as string);
  const erased = await request('GET /api/feed', {
    headers: { ...GZIP, 'If-None-Match': shown.header('ETag') },
  });
  assert.equal(erased.status, 200);
  assert.equal(erased.header('Content-Encoding'), 'gzip');
  assert.doesNotMatch(erased.text, /zebras/);
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
  assert.deepEqual(
    responses.map((response) => [response.status, response.headers['content-encoding']]),
    [201, 200, 200, 422, 404, 200].map((status) => [status, undefined]),
  );
  assert.ok(responses.slice(1, 3).every(({ body }) => body.length > 2000));
});
