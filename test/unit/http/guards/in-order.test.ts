import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { handleInOrder } from '#http/guards/client-limits.ts';
import { listen } from '../../../support/http/listen.ts';
import { closed, waitUntil } from '../../../support/wait-until.ts';

const MAX_WAITING = 4;
const TIMEOUT = { timeout: 20_000 };
const requests = (count: number): string =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');

async function startServer(t: TestContext) {
  const handled: { url: string | undefined; response: ServerResponse }[] = [];
  const server = createServer(
    handleInOrder((request, response) => {
      handled.push({ url: request.url, response });
    }, MAX_WAITING),
  );
  const { port } = new URL(await listen(t, server));
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  const next = async (count: number) => {
    await waitUntil(() => handled.length >= count);
    return handled[count - 1]!;
  };
  return { socket, handled, next };
}

test('a pipelined request is handled once the response before it is sent', TIMEOUT, async (t) => {
  const { socket, handled, next } = await startServer(t);
  socket.write(requests(3));
  for (let n = 0; n < 3; n++) {
    const { url, response } = await next(n + 1);
    assert.equal(url, `/${n}`);
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
    assert.equal(handled.length, n + 1);
    const received = once(socket, 'data');
    response.end(`response ${n}`);
    assert.match(String((await received)[0]), new RegExp(`response ${n}$`));
  }
});

test('a connection with too many waiting requests is closed, and none is handled', TIMEOUT, async (t) => {
  const { socket, handled } = await startServer(t);
  socket.write(requests(MAX_WAITING + 2));
  await closed(socket);
  assert.equal(handled.length, 1);
});

test('requests that wait when the client disconnects are not handled', TIMEOUT, async (t) => {
  const { socket, handled, next } = await startServer(t);
  socket.write(requests(3));
  const { response } = await next(1);
  socket.destroy();
  await once(response, 'close');
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate);
  assert.equal(handled.length, 1);
});
