import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { NO_LIMITS, IDEA, PROJECT, setUp } from '../../support/http/test-app.ts';
import { assertProblem } from '../../support/http/problem.ts';

const { request } = await setUp({ after }, { limits: NO_LIMITS });

const READS = 'GET, HEAD, OPTIONS';
const READS_AND_WRITES = 'GET, HEAD, POST, OPTIONS';
const ALLOWED: Record<string, string> = {
  '/api/feed': READS_AND_WRITES,
  [`/api/posts/${IDEA}`]: READS,
  '/api/posts/unknown': READS,
  '/api/protocol': READS,
  '/api/start': READS,
  '/api/guestbook': READS_AND_WRITES,
  '/api/projects': READS_AND_WRITES,
  [`/api/projects/${PROJECT}`]: READS,
  [`/api/projects/${PROJECT}/notes`]: 'POST, OPTIONS',
  '/': READS,
  [`/posts/${IDEA}`]: READS,
  '/feed.xml': READS,
  '/feed.atom': READS,
  '/feed.json': READS,
  [`/posts/${IDEA}/feed.atom`]: READS,
  '/rss': READS,
  '/robots.txt': READS,
  '/sitemap.xml': READS,
  '/icon.svg': READS,
  '/.well-known/api-catalog': READS,
  '/mcp/server-card': READS,
  '/.well-known/porchlight.json': READS,
  '/openapi.json': READS,
  '/healthz': READS,
};

describe('a method that a path does not support is 405 with Allow', () => {
  for (const [path, allow] of Object.entries(ALLOWED)) {
    it(`${path} supports ${allow}`, async () => {
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
      for (const method of methods.filter((name) => !allow.split(', ').includes(name))) {
        const response = await request(`${method} ${path}`);
        assert.equal(response.header('Allow'), allow, method);
        if (method === 'HEAD') assert.deepEqual([response.status, response.text], [405, '']);
        else assertProblem(response, 405, 'method_not_allowed');
      }
      assert.equal((await request(`OPTIONS ${path}`)).status, 204);
    });
  }
});

describe('an unknown path is 404, and paths are case-sensitive', () => {
  const NOTHING = [
    ...['/api', '/api/', '/Api/feed', '/api/Feed', '/API/FEED', '/MCP', '/Healthz', '/feed.XML'],
    ...['/api/feed/x', '/api/posts', '/api/posts/', '/posts', '/robots', '/api//feed', '/api/%66eed'],
    ...['/.well-known/Porchlight.json', '/.env', '/../package.json', '/.git/HEAD'],
    ...['/package.json', '/__proto__'],
    `/api/projects/${PROJECT}/Notes`,
    '/mcp/x',
    '/api/feed;x=1',
    `/posts/${IDEA}/x`,
    '*',
  ];
  for (const path of NOTHING) {
    it(path, async () => {
      for (const method of ['GET', 'POST', 'DELETE'])
        assertProblem(await request(`${method} ${path}`), 404, 'not_found');
      assert.equal((await request(`HEAD ${path}`)).status, 404);
    });
  }
});

describe('a path has one media type, in UTF-8, whatever Accept lists', () => {
  for (const [path, type] of [
    ['/api/feed', 'application/json'],
    ['/', 'text/html'],
    ['/feed.xml', 'application/rss+xml'],
    ['/feed.atom', 'application/atom+xml'],
    ['/feed.json', 'application/feed+json'],
    ['/openapi.json', 'application/json'],
    ['/llms.txt', 'text/plain'],
    ['/sitemap.xml', 'application/xml'],
    ['/robots.txt', 'text/plain'],
    ['/opensearch.xml', 'application/opensearchdescription+xml'],
  ] as const) {
    it(path, async () => {
      for (const Accept of [undefined, '*/*', 'text/xml', 'application/json;q=0.1, text/html', 'a/b', '']) {
        const response = await request(`GET ${path}`, { headers: { Accept } });
        assert.equal(response.status, 200, Accept);
        assert.equal(response.header('Content-Type'), `${type}; charset=utf-8`);
      }
    });
  }
});

it('several slashes at the start of a path count as one', async () => {
  for (const path of ['//api/feed', '///api/feed?limit=2', 'http://zebra.example//api/feed']) {
    assert.equal((await request(`GET ${path}`)).status, 200, path);
  }
  assert.equal((await request('GET //zebra.example/%2F..')).status, 404);
});
