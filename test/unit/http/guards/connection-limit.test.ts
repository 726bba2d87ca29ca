import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { ConnectionLimiter } from '#http/guards/connection-limit.ts';

/** Room for 16: whatever the system allows, so many there are. */
const FEW_FILES = 10;
const ROOM = 16;

const WHOLE = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A server that answers when the test does. @param maxPerPeer without it no peer is counted */
async function standUp(t: TestContext, maxPerPeer?: number) {
  const server = createServer();
  let refused = 0;
  const connections = new ConnectionLimiter(server, {
    openFiles: FEW_FILES,
    ...(maxPerPeer !== undefined && { maxPerPeer }),
    peerOf: ({ remoteAddress }) => (maxPerPeer === undefined ? undefined : remoteAddress),
    onRefused: () => {
      refused += 1;
    },
  });
  const asked: ServerResponse[] = [];
  server.on('request', (_request, response: ServerResponse) => asked.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const arrive = async (bytes: string, localAddress = '127.0.0.1'): Promise<Socket> => {
    const arrived = once(server, 'connection');
    const socket = connect({ port, host: '127.0.0.1', localAddress })
      .on('error', () => undefined)
      .resume();
    await arrived;
    const heard = bytes.includes('\r\n\r\n') ? once(server, 'request') : undefined;
    if (bytes !== '') socket.write(bytes);
    await heard;
    return socket;
  };
  const crowd = async (bytes: string): Promise<Socket[]> => {
    const sockets: Socket[] = [];
    for (let n = 0; n < ROOM; n++) sockets.push(await arrive(bytes));
    return sockets;
  };
  return { connections, asked, arrive, crowd, refused: () => refused };
}

const isOver = async (socket: Socket): Promise<boolean> =>
  socket.destroyed || (await once(socket, 'close'), true);

for (const [who, bytes] of Object.entries({
  'has sent nothing': '',
  'is still sending its headers': 'GET / HTTP/1.1\r\n',
  'is still sending its body': 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
})) {
  test(`where there is no room, the oldest client that ${who} is let go, and the newcomer is answered`, async (t) => {
    const { asked, arrive, crowd } = await standUp(t);
    const [oldest, next] = await crowd(bytes);
    const before = asked.length;
    const newcomer = await arrive(WHOLE);
    asked.at(-1)!.end('hello');
    assert.match(String((await once(newcomer, 'data'))[0]), /200 OK[^]*hello/);
    assert.ok(await isOver(oldest!));
    assert.ok(!next!.destroyed);
    assert.ok(asked.length > before);
  });
}

test('a client that waits for its answer is never let go for another', async (t) => {
  const { asked, arrive, crowd } = await standUp(t);
  const sockets = await crowd(WHOLE);
  await arrive('');
  assert.ok(sockets.every(({ destroyed }) => !destroyed));
  asked[0]!.end('at last');
  assert.match(String((await once(sockets[0]!, 'data'))[0]), /at last/);
});

test('of those that were answered, the one heard last stays longest', async (t) => {
  const { asked, arrive } = await standUp(t);
  const first = await arrive(WHOLE);
  asked[0]!.end('1');
  const second = await arrive(WHOLE);
  asked[1]!.end('2');
  for (let n = 2; n < ROOM; n++) await arrive('');
  first.write(WHOLE);
  while (asked.length < 3) await new Promise(setImmediate);
  asked[2]!.end('3');
  await once(first, 'data');
  await arrive('');
  assert.ok(await isOver(second));
  assert.ok(!first.destroyed);
});

test('closeIdle closes all connections but those that wait for their answer', async (t) => {
  const { connections, asked, arrive } = await standUp(t);
  const [silent, working] = [await arrive(''), await arrive(WHOLE)];
  connections.closeIdle();
  assert.ok(await isOver(silent));
  asked[0]!.end('still here');
  assert.match(String((await once(working, 'data'))[0]), /still here/);
});

const PEER_ROOM = 3;

test('a peer with too many connections loses the one that was idle longest, and no other peer loses any', async (t) => {
  const { asked, arrive, refused } = await standUp(t, PEER_ROOM);
  const other = await arrive('', '127.0.0.2');
  const first = await arrive(WHOLE);
  const second = await arrive(WHOLE);
  asked[0]!.end('1');
  asked[1]!.end('2');
  const silent = await arrive('');
  first.write(WHOLE);
  while (asked.length < 3) await new Promise(setImmediate);
  asked[2]!.end('3');
  const newcomer = await arrive(WHOLE);
  assert.ok(await isOver(second));
  asked[3]!.end('hello');
  assert.match(String((await once(newcomer, 'data'))[0]), /hello/);
  assert.deepEqual([first.destroyed, silent.destroyed, other.destroyed, refused()], [false, false, false, 0]);
});

test('a peer whose connections all wait for their answer is refused another, and others are not', async (t) => {
  const { asked, arrive, refused } = await standUp(t, PEER_ROOM);
  const busy = [await arrive(WHOLE), await arrive(WHOLE), await arrive(WHOLE)];
  const newcomer = await arrive('');
  assert.ok(await isOver(newcomer));
  assert.equal(refused(), 1);
  await arrive(WHOLE, '127.0.0.2');
  assert.equal(asked.length, PEER_ROOM + 1);
  assert.ok(busy.every(({ destroyed }) => !destroyed));
  busy[0]!.destroy();
  await once(asked[0]!, 'close');
  await arrive(WHOLE);
  assert.equal(asked.length, PEER_ROOM + 2);
});
