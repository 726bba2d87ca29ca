import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setUp } from '../../support/http/setting.ts';

const { ask, rpc } = await setUp({ after });

describe('HSTS is left to the proxy that ends TLS, while the other security headers are sent', () => {
  const ANSWERS: [line: string, status: number, body?: unknown][] = [
    ['GET /', 200],
    ['GET /api/feed', 200],
    ['GET /feed.xml', 200],
    ['GET /healthz', 200],
    ['GET /no/such', 404],
    ['POST /api/feed', 201, { message: 'x' }],
    ['POST /api/feed', 422, {}],
    ['OPTIONS /api/feed', 204],
  ];
  for (const [line, status, body] of ANSWERS)
    it(`${line}: ${status}, made anew and from a cache`, async () => {
      for (let time = 0; time < 2; time++) {
        const response = await ask(line, body === undefined ? {} : { body });
        assert.equal(response.status, status);
        assert.equal(response.headers['strict-transport-security'], undefined);
        assert.equal(response.header('X-Content-Type-Options'), 'nosniff');
      }
    });

  it('POST /mcp', async () => {
    for (let time = 0; time < 2; time++)
      assert.equal((await rpc('tools/list')).headers['strict-transport-security'], undefined);
  });
});
