import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setUp } from '../../support/http/test-app.ts';

const { request, rpc } = await setUp({ after });

describe('responses have security headers but no HSTS, which the proxy that ends TLS sends', () => {
  const RESPONSES: [line: string, status: number, body?: unknown][] = [
    ['GET /', 200],
    ['GET /api/feed', 200],
    ['GET /feed.xml', 200],
    ['GET /healthz', 200],
    ['GET /no/such', 404],
    ['POST /api/feed', 201, { message: 'x' }],
    ['POST /api/feed', 422, {}],
    ['OPTIONS /api/feed', 204],
  ];
  for (const [line, status, body] of RESPONSES)
    it(`${line}: ${status}, first and from the cache`, async () => {
      for (let time = 0; time < 2; time++) {
        const response = await request(line, body === undefined ? {} : { body });
        assert.equal(response.status, status);
        assert.equal(response.headers['strict-transport-security'], undefined);
        assert.equal(response.header('X-Content-Type-Options'), 'nosniff');
      }
    });

  it('POST /mcp: 200, first and from the cache', async () => {
    for (let time = 0; time < 2; time++)
      assert.equal((await rpc('tools/list')).headers['strict-transport-security'], undefined);
  });
});
