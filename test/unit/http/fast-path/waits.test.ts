import assert from 'node:assert/strict';
import test from 'node:test';
import { createExpressOnly } from '../../../support/http/app.ts';
import type { HttpResponse } from '../../../support/http/send-request.ts';
import { BEHIND_PROXY, forwardedFor, IDEA, setUp } from '../../../support/http/test-app.ts';

const PATHS = [
  '/api/updates',
  '/api/updates?after=2026-01-01T00:00:00Z&wait=100',
  '/api/updates?after=2026-01-01T00:00:00Z&limit=1&view=preview',
  `/api/updates?posts=${IDEA}`,
  '/api/updates?wait=999',
  '/api/updates?waiting=1',
  '/api/updates?after=yesterday',
];

/** A whole response without its date. */
function whole({ status, headers, text }: HttpResponse) {
  const { date: _, ...more } = headers;
  return { status, headers: more, order: Object.keys(more), text };
}

for (const method of ['GET', 'HEAD']) {
  for (const path of PATHS) {
    test(`${method} ${path} has the same bytes and headers from the fast path as from Express`, async (t) => {
      const [express, fastPath] = [await setUp(t, {}, {}, createExpressOnly), await setUp(t)];
      for (const headers of [{}, { Origin: 'https://elsewhere.example' }, { 'If-None-Match': '*' }]) {
        const slow = await express.request(`${method} ${path}`, { headers });
        assert.deepEqual(whole(await fastPath.request(`${method} ${path}`, { headers })), whole(slow));
      }
    });
  }
}

test('the request rate limit counts calls that can wait', async (t) => {
  const { request } = await setUp(t, { limits: { requestsPerMinute: 2 } }, BEHIND_PROXY);
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++)
    statuses.push((await request('GET /api/updates', { headers: forwardedFor('192.0.2.9') })).status);
  assert.deepEqual(statuses, [200, 200, 429]);
});
