import assert from 'node:assert/strict';
import test from 'node:test';
import { IDEA, setUp } from '../../../support/http/test-app.ts';

test('a page that is cached is not the page of an id that ends with its query', async (t) => {
  const { request } = await setUp(t);
  const query = new URLSearchParams({ after: '2020-01-01T00:00:00Z' }).toString();
  assert.equal((await request(`GET /posts/${IDEA}?${query}`)).status, 200);
  assert.equal((await request(`GET /posts/${encodeURIComponent(`${IDEA}?${query}`)}`)).status, 404);
});
