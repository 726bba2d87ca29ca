import assert from 'node:assert/strict';
import { it, describe, after } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { serveHttp } from '../../../src/serve-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { callOverMcp, MCP_ACCEPT, setUp } from '../../support/http/setting.ts';
import { assertProblem, assertRpcProblem } from '../../support/http/problem.ts';
import { askAt } from '../../support/http/wire.ts';

describe('over IPv6', async () => {
  const folder = await temporaryFolder({ after });
  const settings = {
    HOST: '::1',
    PORT: '0',
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    REQUESTS_PER_MINUTE: '1',
    FEED_POSTS_PER_HOUR: '2',
  };
  const { baseUrl, stop } = await serveHttp(readConfig(settings));
  after(stop);

  it('links have the address in brackets, and ::1 is this machine, which the shield lets through', async () => {
    assert.match(baseUrl, /^http:\/\/\[::1\]:\d+$/);
    for (let i = 0; i < 3; i++) {
      const { status, json } = await askAt(baseUrl, 'GET /api/start');
      assert.deepEqual([status, json.links.feed], [200, `${baseUrl}/api/feed`]);
    }
  });

  it('posts are counted, and answers are the same over /mcp', async () => {
    const post = () => askAt(baseUrl, 'POST /api/feed', { body: { message: 'x' } });
    const { json, headers } = await post();
    assert.equal(headers.location, `${baseUrl}/api/posts/${json.id}`);
    const mcp = await askAt(baseUrl, 'POST /mcp', {
      headers: { ...MCP_ACCEPT, Origin: baseUrl },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'post_message', arguments: { message: 'y' } },
      },
    });
    assert.equal(mcp.json.result.structuredContent.message, 'y', mcp.text);
    assertProblem(await post(), 429, 'rate_limited');
  });

  it('a service that stops answers what was begun, and then nobody', async () => {
    const begun = askAt(baseUrl, 'GET /api/feed');
    assert.equal((await begun).status, 200);
    await stop();
    await assert.rejects(askAt(baseUrl, 'GET /api/feed'), { code: 'ECONNREFUSED' });
  });
});

describe('while the service goes down', async () => {
  let stopping = false;
  const setting = await setUp({ after }, {}, { stopping: () => stopping });
  stopping = true;

  for (const line of ['GET /api/feed', 'POST /api/feed', 'GET /', 'GET /healthz', 'GET /no/such']) {
    it(`${line} is 503 shutting_down with Retry-After, and the connection ends`, async () => {
      const told = await setting.ask(line);
      assertProblem(told, 503, 'shutting_down');
      assert.deepEqual([told.header('Retry-After'), told.header('Connection')], ['5', 'close']);
    });
  }

  it('/mcp says so as JSON-RPC', async () => {
    assertRpcProblem(await setting.rpc('ping'), 503, 'shutting_down', -32000);
    stopping = false;
    assert.ok('notice' in (await callOverMcp(setting, 'get_started', {})));
  });
});
