import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { createCallerReader } from '#http/guards/client.ts';
import { createHttpServer } from '#http/server.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { listen } from '../../../support/http/listen.ts';
import { setUp, visibleIds } from '../../../support/http/test-app.ts';
import { closed } from '../../../support/wait-until.ts';

const TIMEOUT = { timeout: 20_000 };
const RULES = { trustedProxies: [], ipv4Prefix: 32, ipv6Prefix: 64 };

async function startServer(t: TestContext) {
  const server = createHttpServer();
  const callerOf = createCallerReader(RULES, { warn: () => undefined });
  const clientKeys: string[] = [];
  server.on('request', (request: IncomingMessage) => clientKeys.push(callerOf(request).clientKey));
  await listen(t, server);
  return { server, clientKeys };
}

const open = (server: Server): Socket =>
  connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);

function sendAndReset(socket: Socket): void {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.resetAndDestroy();
}

test(
  'a request whose connection is reset right after it counts for the network of the connection',
  TIMEOUT,
  async (t) => {
    const { server, clientKeys } = await startServer(t);
    for (let n = 0; n < 20; n++) {
      const socket = open(server);
      const ended = new Promise<void>((resolve) => {
        server.once('connection', (serverSocket: Socket) => {
          sendAndReset(socket);
          void closed(serverSocket).then(resolve);
        });
      });
      await ended;
    }
    assert.ok(clientKeys.length > 0);
    assert.deepEqual(new Set(clientKeys), new Set([LOOPBACK_CLIENT]));
  },
);

test('a request whose connection is reset before it is accepted is dropped', TIMEOUT, async (t) => {
  const { server, clientKeys } = await startServer(t);
  for (let n = 0; n < 20; n++) {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = open(server);
    socket.once('connect', () => {
      sendAndReset(socket);
    });
    const [serverSocket] = await accepted;
    await closed(serverSocket);
  }
  assert.ok(
    clientKeys.every((clientKey) => clientKey === LOOPBACK_CLIENT),
    clientKeys.join(),
  );
});

test('posts whose connections are reset count against the limit', TIMEOUT, async (t) => {
  const { url, store, request } = await setUp(t, { limits: { feedPostsPerHour: 2 } });
  const before = (await visibleIds(store)).length;
  const body = JSON.stringify({ message: 'a post behind a reset' });
  const post =
    'POST /api/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  for (let n = 0; n < 40; n++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(post);
    if (n % 2 === 0) await new Promise(setImmediate);
    socket.resetAndDestroy();
  }
  for (let n = 0; n < 4; n++) await request('POST /api/feed', { body: { message: `a post ${n}` } });
  assert.equal((await visibleIds(store)).length, before + 2);
});
