import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { MAX_BODY_BYTES } from '#http/body/body-limit.ts';
import {
  NO_LIMITS,
  forwardedFor,
  MCP_ACCEPT,
  BEHIND_PROXY,
  setUp,
  visibleIds,
} from '../../../support/http/test-app.ts';
import { assertProblem, assertRpcProblem } from '../../../support/http/problem.ts';

const TIMEOUT = { timeout: 20_000 };
const CLIENT = forwardedFor('192.0.2.1');

/** Starts an app that allows each client two bodies of the largest size at once. */
async function startServer(t: TestContext) {
  const app = await setUp(
    t,
    { limits: NO_LIMITS },
    { ...BEHIND_PROXY, maxBytesPerClient: 2 * MAX_BODY_BYTES },
  );
  /** Sends the headers of a post without its body. */
  const begin = async (length: string, address = '192.0.2.1', path = '/api/feed'): Promise<Socket> => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    t.after(() => socket.destroy());
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Forwarded-For: ${address}\r\n` +
        `Accept: ${MCP_ACCEPT.Accept}\r\n${length}\r\n\r\n`,
    );
    // The response shows that the server has read the headers before it.
    await app.request('GET /healthz');
    return socket;
  };
  const post = (headers: Record<string, string> = CLIENT) =>
    app.request('POST /api/feed', { headers, body: { message: 'hello' } });
  return { ...app, begin, post };
}

const LARGEST = `Content-Length: ${MAX_BODY_BYTES}`;

for (const [bodies, length] of Object.entries({
  'announced bodies': LARGEST,
  'bodies without a length': 'Transfer-Encoding: chunked',
})) {
  test(
    `${bodies} over the limit of a client are 429, over REST and MCP, and the connection is closed`,
    TIMEOUT,
    async (t) => {
      const { begin, post, request, store } = await startServer(t);
      await begin(length);
      await begin(length, '192.0.2.1', '/mcp');
      const before = (await visibleIds(store)).length;
      const response = await post();
      assertProblem(response, 429, 'rate_limited');
      assert.deepEqual(
        [response.json.limit, response.header('Retry-After'), response.header('Connection')],
        ['bodyBytesPerNetwork', '5', 'close'],
      );
      assertProblem(await post({ ...CLIENT, 'X-Other': 'not of the fast path' }), 429, 'rate_limited');
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      assertRpcProblem(
        await request('POST /mcp', { headers: { ...MCP_ACCEPT, ...CLIENT }, body }),
        429,
        'rate_limited',
        -32000,
      );
      assert.equal((await visibleIds(store)).length, before);
      assert.equal((await request('GET /api/feed', { headers: CLIENT })).status, 200);
      assert.equal((await post(forwardedFor('192.0.2.2'))).status, 201);
      assert.equal((await post({})).status, 201);
    },
  );
}

test(
  'bodies that have arrived, were refused or belong to closed connections do not count',
  TIMEOUT,
  async (t) => {
    const { begin, post, request } = await startServer(t);
    for (let round = 0; round < 3; round++) {
      const begun = [await begin(LARGEST), await begin(LARGEST)];
      assert.equal((await post()).status, 429);
      for (const socket of begun) socket.resetAndDestroy();
      while ((await post()).status === 429);
    }
    const large = { message: 'x', padding: 'x'.repeat(200_000) };
    for (let n = 0; n < 5; n++) {
      assert.equal((await request('POST /api/feed', { headers: CLIENT, body: large })).status, 201);
      assert.equal((await request('POST /no/such', { headers: CLIENT, body: large })).status, 404);
      assert.equal(
        (
          await request('POST /api/feed', {
            headers: { ...CLIENT, 'Content-Type': 'text/plain' },
            body: large,
          })
        ).status,
        415,
      );
    }
  },
);

test('a loopback client may send any number of bodies at once', TIMEOUT, async (t) => {
  const { begin, post } = await startServer(t);
  for (let n = 0; n < 5; n++) await begin(LARGEST, '127.0.0.1');
  assert.equal((await post({})).status, 201);
});

test('a body over the limit of one request is 413 and does not count', TIMEOUT, async (t) => {
  const { request, post } = await startServer(t);
  const body = 'x'.repeat(MAX_BODY_BYTES + 1);
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => request('POST /api/feed', { headers: CLIENT, body })),
  );
  for (const one of responses) assertProblem(one, 413, 'too_large');
  assert.equal((await post()).status, 201);
});
