import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { it, describe, after } from 'node:test';
import { readConfig } from '#settings/config.ts';
import { serveHttp } from '#server/serve-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { callOverMcp, setUp } from '../../support/http/test-app.ts';
import { assertProblem, assertRpcProblem } from '../../support/http/problem.ts';
import { sendRequest } from '../../support/http/send-request.ts';

const ADDRESSES = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

// A machine may have no IPv6.
for (const HOST of ['127.0.0.1', '::1'].filter((host) => ADDRESSES.includes(host)))
  describe(`a server on ${HOST}`, async () => {
    const folder = await temporaryFolder({ after });
    const settings = {
      HOST,
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
      REQUESTS_PER_MINUTE: '1',
      FEED_POSTS_PER_HOUR: '2',
    };
    const { baseUrl, stop } = await serveHttp(readConfig(settings));
    after(stop);

    it('has links with its address, an IPv6 one in brackets, and exempts it from the request rate limit', async () => {
      assert.equal(new URL(baseUrl).hostname, isIPv6(HOST) ? `[${HOST}]` : HOST);
      for (let i = 0; i < 3; i++) {
        const { status, json } = await sendRequest(baseUrl, 'GET /api/start');
        assert.deepEqual([status, json.links.feed], [200, `${baseUrl}/api/feed`]);
      }
    });
  });

it('a base URL that is not ASCII is in every header in its ASCII form', async (t) => {
  const { baseUrl } = readConfig({ BASE_URL: 'https://例え.jp/ポーチ' });
  assert.ok(baseUrl !== undefined);
  const { request } = await setUp(t, { baseUrl });
  const { status, json, headers } = await request('POST /api/feed', { body: { message: 'one' } });
  assert.deepEqual([status, headers.location], [201, `${baseUrl}/api/posts/${json.id}`]);
  assert.equal((await request('GET /')).status, 200);
  const page = await request('GET /api/feed?limit=1');
  assert.match(page.header('Link'), /^<https:\/\/xn--r8jz45g\.jp\/%E3%83%9D\S+>; rel="next"$/);
});

describe('while the service stops', async () => {
  let stopping = false;
  const app = await setUp({ after }, {}, { stopping: () => stopping });
  // From now on it is cached.
  await app.request('GET /api/feed');
  stopping = true;

  for (const line of ['GET /api/feed', 'POST /api/feed', 'GET /', 'GET /healthz', 'GET /no/such']) {
    it(`${line} is 503 shutting_down with Retry-After and Connection: close`, async () => {
      const response = await app.request(line);
      assertProblem(response, 503, 'shutting_down');
      assert.deepEqual([response.header('Retry-After'), response.header('Connection')], ['5', 'close']);
    });
  }

  it('a call of /mcp is 503 shutting_down as a JSON-RPC error', async () => {
    assertRpcProblem(await app.rpc('ping'), 503, 'shutting_down', -32000);
    stopping = false;
    assert.ok('notice' in (await callOverMcp(app, 'get_started', {})));
  });
});
