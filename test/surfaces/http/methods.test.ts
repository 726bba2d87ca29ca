import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FREE, IDEA, PROJECT, setUp } from '../../support/http/setting.ts';
import { assertProblem } from '../../support/http/problem.ts';

const { ask } = await setUp({ after }, { limits: FREE });

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
  '/.well-known/porchlight.json': READS,
  '/openapi.json': READS,
  '/healthz': READS,
};

describe('a method that an address does not take is 405 with Allow', () => {
  for (const [path, allow] of Object.entries(ALLOWED)) {
    it(`${path} takes ${allow}`, async () => {
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
      for (const method of methods.filter((name) => !allow.split(', ').includes(name))) {
        const told = await ask(`${method} ${path}`);
        assert.equal(told.header('Allow'), allow, method);
        if (method === 'HEAD') assert.deepEqual([told.status, told.text], [405, '']);
        else assertProblem(told, 405, 'method_not_allowed');
      }
      assert.equal((await ask(`OPTIONS ${path}`)).status, 204);
    });
  }
});

describe('an address where there is nothing is 404, and paths are case-sensitive', () => {
  const NOTHING = [
    '/api',
    '/api/',
    '/Api/feed',
    '/api/Feed',
    '/API/FEED',
    '/MCP',
    '/Healthz',
    '/feed.XML',
    '/api/feed/x',
    '/api/posts',
    '/api/posts/',
    '/posts',
    '/robots',
    '/favicon.ico',
    '/api//feed',
    '/api/%66eed',
    '/.well-known/Porchlight.json',
    '/.env',
    '/../package.json',
    '/.git/HEAD',
    '/package.json',
    '/__proto__',
    `/api/projects/${PROJECT}/Notes`,
    '/mcp/x',
    '/api/feed;x=1',
    `/posts/${IDEA}/x`,
    '*',
  ];
  for (const path of NOTHING) {
    it(path, async () => {
      for (const method of ['GET', 'POST', 'DELETE'])
        assertProblem(await ask(`${method} ${path}`), 404, 'not_found');
      assert.equal((await ask(`HEAD ${path}`)).status, 404);
    });
  }
});

describe('HEAD works wherever GET does', () => {
  for (const path of Object.keys(ALLOWED).filter((name) => ALLOWED[name]?.includes('GET'))) {
    it(path, async () => {
      const [got, head] = [await ask(`GET ${path}`), await ask(`HEAD ${path}`)];
      const { date: _, ...headers } = got.headers;
      const { date: __, ...same } = head.headers;
      assert.deepEqual([head.status, head.text, same], [got.status, '', headers]);
    });
  }
});

describe('an address answers in its one type whatever Accept says', () => {
  for (const [path, type] of [
    ['/api/feed', 'application/json'],
    ['/', 'text/html'],
    ['/feed.xml', 'application/rss+xml'],
    ['/openapi.json', 'application/json'],
    ['/llms.txt', 'text/plain'],
  ] as const) {
    it(path, async () => {
      for (const Accept of [undefined, '*/*', 'text/xml', 'application/json;q=0.1, text/html', 'a/b', '']) {
        const told = await ask(`GET ${path}`, { headers: { Accept } });
        assert.equal(told.status, 200, Accept);
        assert.equal(told.header('Content-Type').split(';')[0], type);
      }
    });
  }
});

it('slashes at the beginning of a path count as one', async () => {
  for (const path of ['//api/feed', '///api/feed?limit=2', 'http://zebra.example//api/feed']) {
    assert.equal((await ask(`GET ${path}`)).status, 200, path);
  }
  assert.equal((await ask('GET //zebra.example/%2F..')).status, 404);
});

it('an address in absolute form is served, and its host is never printed', async () => {
  const told = await ask('GET http://zebra.example/api/feed?limit=1');
  assert.equal(told.status, 200);
  assert.match(
    told.header('Link'),
    /^<http:\/\/porchlight\.test\/api\/feed\?limit=1&before=[^>]+>; rel="next"$/,
  );
});
