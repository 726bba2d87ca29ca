import assert from 'node:assert/strict';
import test from 'node:test';
import { temporaryFolder } from '../../../support/folder.ts';
import { MCP_ACCEPT, BEHIND_PROXY, forwardedFor, setUp } from '../../../support/http/test-app.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { post, startProduct } from '../../../support/product.ts';
import { sendRequest } from '../../../support/http/send-request.ts';

test('a read after a write of another process on the folder has the change, over REST and MCP', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t), FEED_POSTS_PER_HOUR: '0' };
  const [here, there] = [await startProduct(settings), await startProduct(settings)];
  const rest = async (): Promise<number> =>
    (await sendRequest(here.url, 'GET /api/feed')).json.totals.messages as number;
  const mcp = async (): Promise<number> => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_feed', arguments: {} },
    };
    return (await sendRequest(here.url, 'POST /mcp', { headers: MCP_ACCEPT, body })).json.result
      .structuredContent.totals.messages as number;
  };
  for (let written = 0; written <= 5; written++) {
    if (written > 0) assert.equal((await post(there.url, `${written}`)).status, 201);
    const [first, second] = written % 2 === 0 ? [rest, mcp] : [mcp, rest];
    for (const read of [first, second, first, second]) assert.equal(await read(), written);
  }
  assert.deepEqual([await here.end('SIGTERM'), await there.end('SIGTERM')], [0, 0]);
});

test('a stopping service sends 503 for a read that is cached', async (t) => {
  let stopping = false;
  const { request } = await setUp(t, {}, { stopping: () => stopping });
  await request('GET /api/feed');
  stopping = true;
  assertProblem(await request('GET /api/feed'), 503, 'shutting_down');
});

test('the request rate limit counts cached reads', async (t) => {
  const { request } = await setUp(t, { limits: { requestsPerMinute: 5 } }, BEHIND_PROXY);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++)
    statuses.push((await request('GET /api/feed', { headers: forwardedFor('192.0.2.9') })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
  assert.equal((await request('GET /api/feed', { headers: forwardedFor('192.0.2.10') })).status, 200);
});
