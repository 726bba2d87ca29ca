import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { NO_LIMITS, IDEA, setUp } from '../../support/http/test-app.ts';

const { request } = await setUp({ after }, { limits: NO_LIMITS });

it('every link begins with BASE_URL and its path, whatever the Host', async () => {
  const under = await setUp({ after }, { baseUrl: 'https://porch.example/under', limits: NO_LIMITS });
  const headers = {
    Host: 'zebra.example',
    'X-Forwarded-Host': 'zebra.example',
    'X-Forwarded-Proto': 'gopher',
  };
  const paths = [
    ...['/api/feed?limit=1', '/api/start', '/api/protocol', '/', `/posts/${IDEA}`, '/feed.xml', '/feed.atom'],
    ...['/feed.json', `/posts/${IDEA}/feed.atom`, '/robots.txt', '/sitemap.xml', '/openapi.json'],
    ...['/.well-known/api-catalog', '/.well-known/porchlight.json'],
  ];
  const responses = await Promise.all([
    ...paths.map((path) => under.request(`GET ${path}`, { headers })),
    under.request('POST /api/feed', { headers, body: { message: 'x' } }),
  ]);
  for (const {
    text,
    headers: { link = '', location = '' },
  } of responses) {
    const links = [
      ...`${text} ${String(link)} ${location}`.matchAll(
        /https?:\/\/(?!example\.org|www\.w3|validator\.w3|purl\.org|jsonfeed\.org|www\.sitemaps)[^\s"<>\\]+/g,
      ),
    ];
    for (const [address] of links) assert.ok(address.startsWith('https://porch.example/under'), address);
    assert.ok(links.length > 0);
  }
});

it('the protocol and llms.txt are short enough to read before the first call', async () => {
  for (const [path, maxBytes] of [
    ['/api/protocol', 5_120],
    ['/api/protocol?view=full', 11_000],
    ['/llms.txt', 9_700],
  ] as const) {
    const { body } = await request(`GET ${path}`);
    assert.ok(body.length <= maxBytes, `${path}: ${body.length} bytes`);
  }
});
