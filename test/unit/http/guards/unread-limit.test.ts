import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import test, { type TestContext } from 'node:test';
import { UnreadLimiter } from '#http/guards/unread-limit.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';

const STALL_TIMEOUT_MS = 300;
const MB = 1024 * 1024;
const TIMEOUT = { timeout: 20_000 };

/** A server that answers each request with so many bytes as its path says, or as `listener` does. */
async function standUp(
  t: TestContext,
  maxUnreadBytes: number,
  {
    listener,
    stallTimeoutMs = STALL_TIMEOUT_MS,
  }: { listener?: RequestListener; stallTimeoutMs?: number } = {},
) {
  const server = createServer();
  new UnreadLimiter(server, {
    clientOf: ({ headers }) => String(headers['x-client']),
    stallTimeoutMs,
    maxUnreadBytes,
  });
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.on(
    'request',
    listener ?? ((request, response) => response.end(Buffer.alloc(Number(request.url!.slice(1))))),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  /** Asks without reading. @returns both ends, once the server has answered */
  const ask = async (bytes: number, client = 'a'): Promise<{ here: Socket; there: Socket }> => {
    const here = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    t.after(() => here.destroy());
    const answered = once(server, 'request');
    here.write(`GET /${bytes} HTTP/1.1\r\nHost: x\r\nX-Client: ${client}\r\n\r\n`);
    await answered;
    return { here, there: accepted.at(-1)! };
  };
  const unread = (): number =>
    accepted.reduce((sum, socket) => sum + (socket.destroyed ? 0 : socket.writableLength), 0);
  return { ask, unread };
}

const closed = async ({ there }: { there: Socket }): Promise<true> => {
  if (!there.destroyed) await once(there, 'close');
  return true;
};

/** Reads at least so many bytes, unless the connection closes. @returns how many */
async function readBytes(socket: Socket, least: number): Promise<number> {
  let read = 0;
  while (read < least && !socket.destroyed) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
    read += chunk?.length ?? 0;
  }
  return read;
}

test('a connection that leaves its answer unread without progress is reset', TIMEOUT, async (t) => {
  const { ask } = await standUp(t, 1000 * MB);
  assert.ok(await closed(await ask(20 * MB)));
});

test('a client that sends bytes but does not read is reset too', TIMEOUT, async (t) => {
  const { ask } = await standUp(t, 1000 * MB);
  const stalled = await ask(20 * MB);
  const dripping = setInterval(() => stalled.here.write('\r\n'), STALL_TIMEOUT_MS / 5);
  t.after(() => {
    clearInterval(dripping);
  });
  assert.ok(await closed(stalled));
});

test('a client that reads slowly gets all of one large answer', TIMEOUT, async (t) => {
  const { ask } = await standUp(t, 1000 * MB);
  const { here, there } = await ask(20 * MB);
  const started = performance.now();
  for (let read = 0; read < 20 * MB; ) {
    read += await readBytes(here, Math.min(MB, 20 * MB - read));
    assert.ok(!there.destroyed, `reset after ${read} bytes`);
    await after(STALL_TIMEOUT_MS / 5);
  }
  assert.ok(performance.now() - started > 2 * STALL_TIMEOUT_MS);
});

test(
  'connections without unread bytes stay open for any time: idle, waiting for an answer, listening',
  TIMEOUT,
  async (t) => {
    const { ask } = await standUp(t, MB, {
      listener: (request, response) => {
        if (request.url === '/1') response.end('1');
        if (request.url === '/3') response.writeHead(200).write('data: 1\n\n');
      },
    });
    const sockets = [await ask(1), await ask(2), await ask(3)];
    for (const { here } of sockets) here.resume();
    await after(3 * STALL_TIMEOUT_MS);
    assert.deepEqual(
      sockets.map(({ there }) => there.destroyed),
      [false, false, false],
    );
  },
);

test('a stream whose client stops reading is reset', TIMEOUT, async (t) => {
  const { ask } = await standUp(t, 1000 * MB, {
    listener: (_request, response) => {
      response.writeHead(200).write(Buffer.alloc(20 * MB));
    },
  });
  assert.ok(await closed(await ask(3)));
});

test(
  'a client with too many unread bytes loses the connections that read slowest, and other clients lose none',
  TIMEOUT,
  async (t) => {
    const { ask, unread } = await standUp(t, 50 * MB, { stallTimeoutMs: 60_000 });
    const other = await ask(20 * MB, 'b');
    const first = await ask(20 * MB);
    // The kernel fills its buffers at first, which looks like progress.
    await after(200);
    const reading = await ask(20 * MB);
    await readBytes(reading.here, 10 * MB);
    const second = await ask(20 * MB);
    assert.ok(await closed(first));
    assert.deepEqual(
      [other, reading, second].map(({ there }) => there.destroyed),
      [false, false, false],
    );
    for (let n = 0; n < 10; n++) {
      await ask(20 * MB);
      assert.ok(unread() <= (50 + 20) * MB);
    }
    assert.ok(!other.there.destroyed);
  },
);

test('one answer that is larger than the bound is sent', TIMEOUT, async (t) => {
  const { ask } = await standUp(t, MB);
  const { here } = await ask(20 * MB);
  assert.ok((await readBytes(here, 20 * MB)) >= 20 * MB);
});

test('this machine may leave any number of bytes unread until it stalls', TIMEOUT, async (t) => {
  const { ask } = await standUp(t, MB);
  const [first, second] = [await ask(20 * MB, LOOPBACK_CLIENT), await ask(20 * MB, LOOPBACK_CLIENT)];
  assert.deepEqual([first.there.destroyed, second.there.destroyed], [false, false]);
});
