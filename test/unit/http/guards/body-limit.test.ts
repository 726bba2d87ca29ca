import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { MAX_BODY_BYTES } from '#http/guards/body-limit.ts';
import { FREE, from, MCP_ACCEPT, PROXIED, setUp, visibleIds } from '../../../support/http/setting.ts';
import { assertProblem, assertRpcProblem } from '../../../support/http/problem.ts';

const TIMEOUT = { timeout: 20_000 };
const CLIENT = from('192.0.2.1');

/** Room for two bodies of the largest size, and for none beside them. */
async function standUp(t: TestContext) {
  const setting = await setUp(t, { limits: FREE }, { ...PROXIED, maxBytesPerClient: 2 * MAX_BODY_BYTES });
  /** Begins a post that does not end. */
  const begin = async (length: string, visitor = '192.0.2.1', path = '/api/feed'): Promise<Socket> => {
    const { port } = new URL(setting.house.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    t.after(() => socket.destroy());
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Forwarded-For: ${visitor}\r\n` +
        `Accept: ${MCP_ACCEPT.Accept}\r\n${length}\r\n\r\n`,
    );
    // Answered once the request before it has been taken in.
    await setting.ask('GET /healthz');
    return socket;
  };
  const post = (headers: Record<string, string> = CLIENT) =>
    setting.ask('POST /api/feed', { headers, body: { message: 'hello' } });
  return { ...setting, begin, post };
}

const LARGEST = `Content-Length: ${MAX_BODY_BYTES}`;

for (const [what, length] of Object.entries({
  'announced bodies': LARGEST,
  'bodies without a length': 'Transfer-Encoding: chunked',
})) {
  test(
    `${what} beyond the bound of a client are refused, over REST and MCP, and the connection is closed`,
    TIMEOUT,
    async (t) => {
      const { begin, post, ask, store } = await standUp(t);
      await begin(length);
      await begin(length, '192.0.2.1', '/mcp');
      const before = (await visibleIds(store)).length;
      const told = await post();
      assertProblem(told, 429, 'rate_limited');
      assert.deepEqual(
        [told.json.limit, told.header('Retry-After'), told.header('Connection')],
        ['bodyBytesPerNetwork', '5', 'close'],
      );
      assertProblem(await post({ ...CLIENT, 'X-Other': 'not of the fast path' }), 429, 'rate_limited');
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      assertRpcProblem(
        await ask('POST /mcp', { headers: { ...MCP_ACCEPT, ...CLIENT }, body }),
        429,
        'rate_limited',
        -32000,
      );
      assert.equal((await visibleIds(store)).length, before);
      assert.equal((await ask('GET /api/feed', { headers: CLIENT })).status, 200);
      assert.equal((await post(from('192.0.2.2'))).status, 201);
      assert.equal((await post({})).status, 201);
    },
  );
}

test(
  'bodies that arrived, that were refused, and those of closed connections count no more',
  TIMEOUT,
  async (t) => {
    const { begin, post, ask } = await standUp(t);
    for (let round = 0; round < 3; round++) {
      const begun = [await begin(LARGEST), await begin(LARGEST)];
      assert.equal((await post()).status, 429);
      for (const socket of begun) socket.resetAndDestroy();
      while ((await post()).status === 429);
    }
    const large = { message: 'x', padding: 'x'.repeat(200_000) };
    for (let n = 0; n < 5; n++) {
      assert.equal((await ask('POST /api/feed', { headers: CLIENT, body: large })).status, 201);
      assert.equal((await ask('POST /no/such', { headers: CLIENT, body: large })).status, 404);
      assert.equal(
        (await ask('POST /api/feed', { headers: { ...CLIENT, 'Content-Type': 'text/plain' }, body: large }))
          .status,
        415,
      );
    }
  },
);

test('this machine may send any number of bodies at once', TIMEOUT, async (t) => {
  const { begin, post } = await standUp(t);
  for (let n = 0; n < 5; n++) await begin(LARGEST, '127.0.0.1');
  assert.equal((await post({})).status, 201);
});

test(
  'a body larger than the limit of one is refused as too large, however many there are',
  TIMEOUT,
  async (t) => {
    const { ask, post } = await standUp(t);
    const body = 'x'.repeat(MAX_BODY_BYTES + 1);
    const told = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST /api/feed', { headers: CLIENT, body })),
    );
    for (const one of told) assertProblem(one, 413, 'too_large');
    assert.equal((await post()).status, 201);
  },
);
