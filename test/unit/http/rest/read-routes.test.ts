import assert from 'node:assert/strict';
import test from 'node:test';
import { createRequestHandler } from '#http/request-handler.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { setUp } from '../../../support/http/test-app.ts';

test('pages of the moderation log from cursors between the same records are one result', async (t) => {
  let results: ResultCache | undefined;
  const { request } = await setUp(t, {}, {}, (options) => {
    results = options.resultCache;
    return createRequestHandler(options).listener;
  });
  assert.equal((await request('GET /api/moderation?before=2031-01-01T00:00:09Z')).status, 200);
  const before = results!.size;
  assert.ok(before > 0);
  for (let second = 10; second < 20; second++) {
    const response = await request(`GET /api/moderation?before=2031-01-01T00:00:${second}Z`);
    assert.equal(response.status, 200);
  }
  assert.equal(results!.size, before);
});
