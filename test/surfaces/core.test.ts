import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { temporaryFolder } from '../support/folder.ts';
import { assertRpcProblem } from '../support/http/problem.ts';
import { IDEA, MCP_ACCEPT, NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { openListenStream } from '../support/mcp/listen-stream.ts';
import { REVISIONS, sendMcp } from '../support/mcp/send.ts';
import { launchOverStdio } from '../support/product.ts';
import { waitUntil } from '../support/wait-until.ts';

const CORE_TOOLS = [
  ...['get_started', 'get_protocol', 'read_feed', 'read_thread', 'wait_for_messages', 'post_message'],
];

const app = await setUp({ after }, { limits: NO_LIMITS });

for (const revision of REVISIONS) {
  test(`an error over /mcp/core of ${revision} names /mcp for a tool that it lacks`, async () => {
    const { json } = await sendMcp(app, { revision, path: '/mcp/core' }, 'tools/call', { name: 'find_work' });
    assert.deepEqual(json.error, {
      code: -32602,
      message: 'find_work is not a core tool; use it at /mcp, or over stdio without --tools core.',
    });
    const unknown = await sendMcp(app, { revision, path: '/mcp/core' }, 'tools/call', { name: 'dance' });
    assert.equal(unknown.json.error.message, 'Unknown tool; call tools/list for the available tools.');
  });

  test(`a call over /mcp/core of ${revision} waits`, async (t) => {
    const world = await setUp(t, { limits: NO_LIMITS });
    const waiting = sendMcp(world, { revision, path: '/mcp/core' }, 'tools/call', {
      name: 'wait_for_messages',
      arguments: { waitSeconds: 60 },
    });
    await waitUntil(() => world.workspace.waiters.size === 1);
    await world.request('POST /api/feed', { body: { message: 'at last' } });
    const { result } = (await waiting).json;
    assert.ok(!('structuredContent' in result));
    assert.equal(JSON.parse(result.content[0].text).messages[0].message, 'at last');
  });
}

test('the clients of both SDKs use /mcp/core', async () => {
  const url = new URL(`${app.url}/mcp/core`);
  const info = { name: 'a test', version: '1.0.0' };
  const [one, two] = [new ClientV1(info), new ClientV2(info, { versionNegotiation: { mode: 'auto' } })];
  await one.connect(new TransportV1(url) as never);
  await two.connect(new TransportV2(url));
  for (const client of [one, two]) {
    assert.match(client.getInstructions() ?? '', /at \/mcp/);
    assert.deepEqual(client.getServerVersion()?.icons, [
      { src: 'http://porchlight.test/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'] },
    ]);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    assert.deepEqual(names, CORE_TOOLS);
    const { content } = await client.callTool({ name: 'read_thread', arguments: { postId: IDEA } });
    assert.equal(JSON.parse((content as [{ text: string }])[0].text).post.id, IDEA);
    await client.close();
  }
});

test('a subscription over /mcp/core is notified, and counts against the streams of /mcp', async (t) => {
  const world = await setUp(t, { limits: { ...NO_LIMITS, waitsPerNetwork: 1 } });
  const { socket, head } = await openListenStream(world.url, ['porchlight://feed'], { path: '/mcp/core' });
  t.after(() => socket.destroy());
  assert.match(head, /text\/event-stream/);
  let events = '';
  socket.on('data', (text: string) => {
    events += text;
  });
  await world.request('POST /api/feed', { body: { message: 'new' } });
  await waitUntil(() => events.includes('notifications/resources/updated'));
  const refused = await openListenStream(world.url, ['porchlight://feed']);
  refused.socket.destroy();
  assert.match(refused.head, /rate_limited/);
});

test('/mcp/core refuses a foreign Host, a foreign Origin, another method and a batch', async () => {
  for (const path of ['/mcp/core', '/mcp/core/', '/mcp/core?x']) {
    const ask = (headers: Record<string, string>, method = 'POST') =>
      app.request(`${method} ${path}`, {
        headers: { ...MCP_ACCEPT, ...headers },
        ...(method === 'POST' && { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
      });
    assert.equal((await ask({})).status, 200, path);
    assertRpcProblem(await ask({ Host: 'zebra.example' }), 403, 'forbidden_host', -32000);
    assertRpcProblem(await ask({ Origin: 'https://zebra.example' }), 403, 'forbidden_origin', -32000);
    assertRpcProblem(await ask({ 'Sec-Fetch-Site': 'cross-site' }), 403, 'forbidden_origin', -32000);
    assertRpcProblem(await ask({}, 'GET'), 405, 'method_not_allowed', -32000);
    const allowed = await ask({ Origin: 'http://localhost' });
    assert.equal(allowed.header('Access-Control-Allow-Origin'), 'http://localhost');
    assert.equal((await ask({})).headers['access-control-allow-origin'], undefined);
  }
  const batch = await app.request('POST /mcp/core', { headers: MCP_ACCEPT, body: [] });
  assertRpcProblem(batch, 400, 'malformed_json', -32600);
});

test('stdio --tools core has the six tools, and refuses a tool that it lacks', async (t) => {
  const { client } = await launchOverStdio({ DATA_DIR: await temporaryFolder(t) }, ['--tools', 'core']);
  t.after(() => client.close());
  const listed = (await client.listTools()).tools.map(({ name, outputSchema }) => [name, outputSchema]);
  assert.deepEqual(
    listed,
    CORE_TOOLS.map((name) => [name, undefined]),
  );
  assert.match(client.getInstructions() ?? '', /without --tools core/);
  const { content, structuredContent } = await client.callTool({ name: 'get_started', arguments: {} });
  const start = JSON.parse((content as [{ text: string }])[0].text);
  assert.deepEqual([structuredContent, start.firstContribution.tool], [undefined, 'post_message']);
  await assert.rejects(client.callTool({ name: 'find_work', arguments: {} }), /use it at \/mcp/);
  assert.ok((await client.listResources()).resources.some(({ uri }) => uri === 'porchlight://work'));
});
