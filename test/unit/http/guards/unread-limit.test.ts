import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import test, { type TestContext } from 'node:test';
import { UnreadLimit, type UnreadLimitOptions } from '#http/guards/unread-limit.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { listen } from '../../../support/http/listen.ts';
import { closed, waitUntil } from '../../../support/wait-until.ts';

const STALL_TIMEOUT_MS = 100;
const MB = 1024 * 1024;
const BYTES = Buffer.alloc(20 * MB);
const TIMEOUT = { timeout: 20_000 };

/** Starts a server that sends the number of bytes in the path of a request, or what `listener` sends. */
async function startServer(
  t: TestContext,
  maxUnreadBytes: number,
  { listener, ...limits }: { listener?: RequestListener } & Partial<UnreadLimitOptions> = {},
) {
  const server = createServer({ keepAliveTimeout: 60_000 });
  const limiter = new UnreadLimit(server, {
    clientKeyOf: ({ headers }) => String(headers['x-client']),
    stallTimeoutMs: STALL_TIMEOUT_MS,
    maxUnreadBytes,
    ...limits,
  });
  const accepted: Socket[] = [];
  const responses: ServerResponse[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.on('request', (request, response: ServerResponse) => {
    limiter.watch(request, response);
    responses.push(response);
  });
  server.on(
    'request',
    listener ?? ((request, response) => response.end(BYTES.subarray(0, Number(request.url!.slice(1))))),
  );
  const port = Number(new URL(await listen(t, server)).port);
  /** Sends a request and reads nothing. @returns both ends, once the server has responded */
  const send = async (bytes: number, client = 'a') => {
    const clientSocket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    t.after(() => clientSocket.destroy());
    const received = once(server, 'request');
    clientSocket.write(`GET /${bytes} HTTP/1.1\r\nHost: x\r\nX-Client: ${client}\r\n\r\n`);
    await received;
    return { clientSocket, serverSocket: accepted.at(-1)! };
  };
  const unread = (): number =>
    accepted.reduce((sum, socket) => sum + (socket.destroyed ? 0 : socket.writableLength), 0);
  const sweep = (): void => {
    limiter.sweep(responses);
  };
  return { send, unread, sweep };
}

/** Reads at least `least` bytes, unless the connection closes. @returns the number of bytes read */
async function readBytes(socket: Socket, least: number): Promise<number> {
  let read = 0;
  while (read < least && !socket.destroyed) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null)
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          socket.off('readable', goOn).off('close', goOn);
          resolve();
        };
        socket.on('readable', goOn).on('close', goOn);
      });
    read += chunk?.length ?? 0;
  }
  return read;
}

test('a connection with an unread response that makes no progress is reset', TIMEOUT, async (t) => {
  const { send } = await startServer(t, 1000 * MB);
  await closed((await send(20 * MB)).serverSocket);
});

test('a connection without unread bytes stays open: idle, waiting or a stream', TIMEOUT, async (t) => {
  const { send } = await startServer(t, MB, {
    listener: (request, response) => {
      if (request.url === '/1') response.end('1');
      if (request.url === '/3') response.writeHead(200).write('data: 1\n\n');
    },
  });
  const sockets = [await send(1), await send(2), await send(3)];
  for (const { clientSocket } of sockets) clientSocket.resume();
  await after(3 * STALL_TIMEOUT_MS);
  const destroyed = sockets.map(({ serverSocket }) => serverSocket.destroyed);
  assert.deepEqual(destroyed, [false, false, false]);
});

test('a connection with a stream that its client stops reading is reset', TIMEOUT, async (t) => {
  const { send } = await startServer(t, 1000 * MB, {
    listener: (_request, response) => {
      response.writeHead(200).write(BYTES);
    },
  });
  await closed((await send(3)).serverSocket);
});

test('a client with too many unread bytes loses the responses that wait longest', TIMEOUT, async (t) => {
  const { send, unread } = await startServer(t, 50 * MB, { stallTimeoutMs: 60_000 });
  const other = await send(20 * MB, 'b');
  const first = await send(20 * MB);
  const reading = await send(20 * MB);
  await readBytes(reading.clientSocket, 10 * MB);
  const second = await send(20 * MB);
  await closed(first.serverSocket);
  const destroyed = [other, reading, second].map(({ serverSocket }) => serverSocket.destroyed);
  assert.deepEqual(destroyed, [false, false, false]);
  for (let n = 0; n < 10; n++) {
    await send(20 * MB);
    assert.ok(unread() <= (50 + 20) * MB);
  }
  assert.ok(!other.serverSocket.destroyed);
});

test('a single response larger than the bound is sent', TIMEOUT, async (t) => {
  const { send } = await startServer(t, MB, { stallTimeoutMs: 60_000 });
  const { clientSocket } = await send(20 * MB);
  assert.ok((await readBytes(clientSocket, 20 * MB)) >= 20 * MB);
});

test('a loopback client may leave any number of bytes unread until it stalls', TIMEOUT, async (t) => {
  const { send } = await startServer(t, MB, { stallTimeoutMs: 60_000 });
  const [first, second] = [await send(20 * MB, LOOPBACK_CLIENT), await send(20 * MB, LOOPBACK_CLIENT)];
  assert.deepEqual([first.serverSocket.destroyed, second.serverSocket.destroyed], [false, false]);
});

test('beyond the bound of all clients the one with most unread bytes loses', TIMEOUT, async (t) => {
  const { send, unread } = await startServer(t, 1000 * MB, {
    maxUnreadOfAll: 110 * MB,
    stallTimeoutMs: 60_000,
  });
  const small = await send(20 * MB, 'small');
  const first = await send(20 * MB, 'large');
  const others = [await send(20 * MB, 'large'), await send(20 * MB, LOOPBACK_CLIENT)];
  others.push(await send(20 * MB, 'large'));
  assert.ok(!first.serverSocket.destroyed);
  others.push(await send(20 * MB, 'small'));
  await closed(first.serverSocket);
  const destroyed = [small, ...others].map(({ serverSocket }) => serverSocket.destroyed);
  assert.deepEqual(destroyed, [false, false, false, false, false]);
  for (let client = 0; client < 20; client++) await send(20 * MB, String(client));
  assert.ok(unread() <= 110 * MB);
});

test('all clients together leave at most 96 MiB unread', TIMEOUT, async (t) => {
  const { send, unread } = await startServer(t, 1000 * MB, { stallTimeoutMs: 60_000 });
  for (let client = 0; client < 10; client++) {
    await send(20 * MB, String(client));
    assert.ok(unread() <= 96 * MB, `${unread()} bytes`);
  }
});

const stream: RequestListener = (request, response) => {
  response.writeHead(200).write(BYTES.subarray(0, Number(request.url!.slice(1))));
};

test('event streams count when the limiter sweeps', TIMEOUT, async (t) => {
  const { send, unread, sweep } = await startServer(t, 50 * MB, {
    maxUnreadOfAll: 70 * MB,
    stallTimeoutMs: 60_000,
    listener: stream,
  });
  const [first] = [await send(20 * MB), await send(20 * MB), await send(20 * MB), await send(20 * MB, 'b')];
  sweep();
  await closed(first.serverSocket);
  for (let client = 0; client < 5; client++) await send(20 * MB, String(client));
  sweep();
  assert.ok(unread() <= 70 * MB);
});

for (const [what, listener] of Object.entries({ 'a response': undefined, 'an event stream': stream }))
  test(`a connection that reads ${what} too slowly is reset, no other one`, TIMEOUT, async (t) => {
    let now = 0;
    const { send, sweep } = await startServer(t, 1000 * MB, {
      ...(listener && { listener }),
      stallTimeoutMs: 60_000,
      minBytesPerSecond: 20 * MB,
      now: () => now,
    });
    const [slow, quick] = [await send(20 * MB), await send(20 * MB)];
    sweep();
    quick.clientSocket.resume();
    await waitUntil(() => quick.serverSocket.writableLength === 0);
    await readBytes(slow.clientSocket, 64 * 1024);
    for (now of [60_000, 62_000]) {
      assert.ok(!slow.serverSocket.destroyed);
      sweep();
    }
    assert.ok(slow.serverSocket.destroyed);
    assert.ok(!quick.serverSocket.destroyed);
  });
