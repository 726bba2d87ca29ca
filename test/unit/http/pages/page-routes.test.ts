import assert from 'node:assert/strict';
import test from 'node:test';
import { IDEA, setUp } from '../../../support/http/test-app.ts';

test('a page that is cached is not the page of an id that ends with its query', async (t) => {
  const { request } = await setUp(t);
  const query = new URLSearchParams({ after: '2020-01-01T00:00:00Z' }).toString();
  assert.equal((await request(`GET /posts/${IDEA}?${query}`)).status, 200);
  assert.equal((await request(`GET /posts/${encodeURIComponent(`${IDEA}?${query}`)}`)).status, 404);
});

const FORMS: [accept: string, page: string, failure: string][] = [
  ['text/markdown, text/html, */*', 'text/markdown', 'application/problem+json'],
  ['text/markdown, text/html;q=0.9', 'text/markdown', 'application/problem+json'],
  ['application/json, text/html;q=0.5', 'text/html', 'application/problem+json'],
  ['text/html, text/markdown', 'text/html', 'text/html'],
  ['text/html;q=0.9, text/markdown;q=0.1', 'text/html', 'text/html'],
];

for (const [Accept, ofPage, ofFailure] of FORMS)
  test(`Accept: ${Accept} chooses the form of a page and of a failure by weight`, async (t) => {
    const { request } = await setUp(t);
    const types = [`/posts/${IDEA}`, '/posts/nothing'].map(async (path) => {
      const response = await request(`GET ${path}`, { headers: { Accept } });
      return response.header('Content-Type').split(';')[0];
    });
    assert.deepEqual(await Promise.all(types), [ofPage, ofFailure]);
  });
