import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { handleInOrder } from '#http/guards/in-order.ts';

const MAX_WAITING = 4;
const TIMEOUT = { timeout: 20_000 };
const requests = (count: number): string =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');

async function standUp(t: TestContext) {
  const asked: { url: string | undefined; response: ServerResponse }[] = [];
  const server = createServer(
    handleInOrder((request, response) => {
      asked.push({ url: request.url, response });
    }, MAX_WAITING),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  t.after(() => {
    socket.destroy();
    server.close().closeAllConnections();
  });
  const next = async (count: number) => {
    while (asked.length < count) await new Promise(setImmediate);
    return asked[count - 1]!;
  };
  return { server, socket, asked, next };
}

test(
  'of pipelined requests the next one is handled once the answer before it is sent',
  TIMEOUT,
  async (t) => {
    const { socket, asked, next } = await standUp(t);
    socket.write(requests(3));
    for (let n = 0; n < 3; n++) {
      const { url, response } = await next(n + 1);
      assert.equal(url, `/${n}`);
      for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
      assert.equal(asked.length, n + 1);
      const answered = once(socket, 'data');
      response.end(`answer ${n}`);
      assert.match(String((await answered)[0]), new RegExp(`answer ${n}$`));
    }
  },
);

test(
  'a connection with too many requests waiting is closed, and none of them is handled',
  TIMEOUT,
  async (t) => {
    const { socket, asked } = await standUp(t);
    socket.write(requests(MAX_WAITING + 2));
    await once(socket, 'close');
    assert.equal(asked.length, 1);
  },
);

test('when the client disconnects, the requests that wait are not handled', TIMEOUT, async (t) => {
  const { socket, asked, next } = await standUp(t);
  socket.write(requests(3));
  const { response } = await next(1);
  socket.destroy();
  await once(response, 'close');
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
  assert.equal(asked.length, 1);
});
