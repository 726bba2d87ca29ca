import assert from 'node:assert/strict';
import test from 'node:test';
import { assertProblem } from '../../../support/http/problem.ts';
import { setUp } from '../../../support/http/test-app.ts';

for (const [path, target] of [
  ['/rss', '/feed.xml'],
  ['/rss.xml', '/feed.xml'],
  ['/atom.xml', '/feed.atom'],
] as const)
  test(`${path} is 301 to ${target} of the base URL, with its query, for GET and HEAD`, async (t) => {
    const { request } = await setUp(t, { baseUrl: 'https://porch.example/under' });
    for (const method of ['GET', 'HEAD']) {
      for (const query of ['', '?prefix=IDEA&threads=true']) {
        const response = await request(`${method} ${path}${query}`, { headers: { Host: 'zebra.example' } });
        assert.deepEqual([response.status, response.text], [301, '']);
        assert.equal(response.header('Location'), `https://porch.example/under${target}${query}`);
        assert.equal(response.header('Cache-Control'), 'public, max-age=86400');
      }
    }
    assertProblem(await request(`POST ${path}`), 405, 'method_not_allowed');
  });
