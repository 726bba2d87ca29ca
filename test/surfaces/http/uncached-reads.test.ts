import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createRequestHandler } from '#http/request-handler.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { BEHIND_PROXY, forwardedFor, IDEA, MCP_ACCEPT, PROJECT, setUp } from '../../support/http/test-app.ts';
import { closed, waitUntil } from '../../support/wait-until.ts';

const NETWORK = forwardedFor('203.0.113.1');
const OTHER = forwardedFor('203.0.113.2');

const call = (method: string, params: object) => ({
  line: 'POST /mcp',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  headers: { ...MCP_ACCEPT, 'Content-Type': 'application/json' },
});
const get = (path: string) => ({ line: `GET ${path}`, body: '', headers: {} });

/** Uncached reads of every surface. */
const READS = [
  get('/api/feed?q=apple'),
  get('/api/feed/?limit=3'),
  get(`/api/posts/${IDEA}?whole=true`),
  get('/api/guestbook?limit=3'),
  get(`/api/projects/${PROJECT}`),
  get('/api/work'),
  get('/api/updates?after=2026-01-01T00:00:00Z'),
  get('/api/moderation'),
  get('/api/log'),
  get('/'),
  get(`/posts/${IDEA}`),
  get('/feed.md?q=apple'),
  get('/feed.atom'),
  get('/sitemap.xml'),
  call('tools/call', { name: 'read_feed', arguments: { q: 'apple' } }),
  call('tools/call', { name: 'find_work', arguments: {}, unknown: true }),
  call('resources/read', { uri: 'porchlight://guestbook' }),
  call('prompts/get', { name: 'work', arguments: { postId: IDEA } }),
];

/** An app whose reads wait until the test lets them run. */
async function setUpHeld(t: TestContext, perNetwork = 100) {
  const gate = new ReadGate({ atOnce: 2, perNetwork });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const sockets: Socket[] = [];
  const app = await setUp(t, {}, { ...BEHIND_PROXY, gate }, (options) => {
    const listener = createRequestHandler(options).listener;
    return (request, response) => {
      sockets.push(request.socket);
      listener(request, response);
    };
  });
  const places = ['a', 'b'].map((clientKey) => gate.run({ clientKey }, () => held).result);
  // On a busy machine the second one has to wait for the next slice.
  await waitUntil(() => gate.counts.running === places.length);
  return {
    ...app,
    gate,
    sockets,
    release: async () => {
      release();
      await Promise.all(places);
    },
  };
}

describe('an uncached read waits for its turn, and is dropped if its connection closes before', () => {
  for (const { line, body, headers } of READS) {
    it(`${line} ${body}`, async (t) => {
      const { url, gate, sockets, release, faults } = await setUpHeld(t);
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      const sent = {
        ...headers,
        ...NETWORK,
        Host: '127.0.0.1',
        'Content-Length': String(Buffer.byteLength(body)),
      };
      const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
      await waitUntil(() => gate.counts.waiting === 1);
      socket.destroy();
      // The sitemap is made for everybody.
      const isShared = line === 'GET /sitemap.xml';
      await closed(sockets[0]!);
      await release();
      await waitUntil(() => gate.counts.waiting === 0);
      assert.equal(gate.counts.dropped, isShared ? 0 : 1);
      assert.deepEqual(faults, []);
    });
  }
});

it('beyond its bound a network gets 429 on every surface, and others wait for their turn', async (t) => {
  const { request, gate, release } = await setUpHeld(t, 1);
  const first = request('GET /api/feed?q=first', { headers: NETWORK });
  await waitUntil(() => gate.counts.waiting === 1);
  for (const { line, body, headers } of READS.slice(0, -1)) {
    if (line === 'GET /sitemap.xml') continue;
    const {
      status,
      json,
      headers: sent,
    } = await request(line, {
      headers: { ...headers, ...NETWORK, Accept: 'application/json, text/event-stream' },
      ...(body !== '' && { body }),
    });
    if (body === '') {
      assert.deepEqual([status, json.code, json.limit], [429, 'rate_limited', 'readsAtOnce'], line);
      assert.equal(sent['retry-after'], '1');
    } else assert.match(JSON.stringify(json), /readsAtOnce/, body);
  }
  const other = request('GET /api/feed?q=other', { headers: OTHER });
  await waitUntil(() => gate.counts.waiting === 2);
  assert.equal((await request('GET /healthz', { headers: OTHER })).status, 200);
  const posted = await request('POST /api/feed', {
    headers: NETWORK,
    body: { message: 'a write waits for no read' },
  });
  assert.equal(posted.status, 201);
  await release();
  assert.deepEqual([(await first).status, (await other).status], [200, 200]);
});
