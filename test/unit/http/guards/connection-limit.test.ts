import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { ConnectionLimit, openFileLimit } from '#http/guards/connection-limit.ts';
import { listen } from '../../../support/http/listen.ts';
import { closed, waitUntil } from '../../../support/wait-until.ts';

/** The limiter allows 16 connections even if the process may open fewer files. */
const OPEN_FILES = 10;
const MAX_CONNECTIONS = 16;

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Starts a server whose responses the test sends. @param maxPerPeer undefined for no limit per peer */
async function startServer(t: TestContext, maxPerPeer?: number) {
  const server = createServer();
  let refused = 0;
  const limiter = new ConnectionLimit(server, {
    openFiles: OPEN_FILES,
    ...(maxPerPeer !== undefined && { maxPerPeer }),
    peerOf: ({ remoteAddress }) => (maxPerPeer === undefined ? undefined : remoteAddress),
    onRefused: () => {
      refused += 1;
    },
  });
  const responses: ServerResponse[] = [];
  server.on('request', (request, response: ServerResponse) => {
    limiter.recordRequest(response);
    responses.push(response);
  });
  const port = Number(new URL(await listen(t, server)).port);
  const open = async (bytes: string, localAddress = '127.0.0.1'): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const socket = connect({ port, host: '127.0.0.1', localAddress })
      .on('error', () => undefined)
      .resume();
    await accepted;
    const received = bytes.includes('\r\n\r\n') ? once(server, 'request') : undefined;
    if (bytes !== '') socket.write(bytes);
    await received;
    return socket;
  };
  const fill = async (bytes: string): Promise<Socket[]> => {
    const sockets: Socket[] = [];
    for (let n = 0; n < MAX_CONNECTIONS; n++) sockets.push(await open(bytes));
    return sockets;
  };
  return { limiter, responses, open, fill, refused: () => refused };
}

for (const [state, bytes] of Object.entries({
  'has sent nothing': '',
  'is still sending its headers': 'GET / HTTP/1.1\r\n',
  'is still sending its body': 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
})) {
  test(`when full, the oldest connection that ${state} is closed, and a new connection is served`, async (t) => {
    const { responses, open, fill } = await startServer(t);
    const [oldest, next] = await fill(bytes);
    const before = responses.length;
    const newConnection = await open(REQUEST);
    responses.at(-1)!.end('hello');
    assert.match(String((await once(newConnection, 'data'))[0]), /200 OK[^]*hello/);
    await closed(oldest!);
    assert.ok(!next!.destroyed);
    assert.ok(responses.length > before);
  });
}

test('when full, a connection that waits for its response is not closed', async (t) => {
  const { responses, open, fill } = await startServer(t);
  const sockets = await fill(REQUEST);
  await open('');
  assert.ok(sockets.every(({ destroyed }) => !destroyed));
  responses[0]!.end('at last');
  assert.match(String((await once(sockets[0]!, 'data'))[0]), /at last/);
});

test('when full, the connection whose last request is oldest is closed first', async (t) => {
  const { responses, open } = await startServer(t);
  const first = await open(REQUEST);
  responses[0]!.end('1');
  const second = await open(REQUEST);
  responses[1]!.end('2');
  for (let n = 2; n < MAX_CONNECTIONS; n++) await open('');
  first.write(REQUEST);
  await waitUntil(() => responses.length === 3);
  responses[2]!.end('3');
  await once(first, 'data');
  await open('');
  await closed(second);
  assert.ok(!first.destroyed);
});

test('closeIdle closes every connection that does not wait for a response', async (t) => {
  const { limiter, responses, open } = await startServer(t);
  const [silent, working] = [await open(''), await open(REQUEST)];
  limiter.closeIdle();
  await closed(silent);
  responses[0]!.end('still here');
  assert.match(String((await once(working, 'data'))[0]), /still here/);
});

const MAX_PER_PEER = 3;

test('a peer over its limit loses the connection that is idle longest, and other peers lose none', async (t) => {
  const { responses, open, refused } = await startServer(t, MAX_PER_PEER);
  const other = await open('', '127.0.0.2');
  const first = await open(REQUEST);
  const second = await open(REQUEST);
  responses[0]!.end('1');
  responses[1]!.end('2');
  const silent = await open('');
  first.write(REQUEST);
  await waitUntil(() => responses.length === 3);
  responses[2]!.end('3');
  const newConnection = await open(REQUEST);
  await closed(second);
  responses[3]!.end('hello');
  assert.match(String((await once(newConnection, 'data'))[0]), /hello/);
  assert.deepEqual([first.destroyed, silent.destroyed, other.destroyed, refused()], [false, false, false, 0]);
});

test('a peer whose connections all wait for a response is refused another one, and other peers are not', async (t) => {
  const { responses, open, refused } = await startServer(t, MAX_PER_PEER);
  const busy = [await open(REQUEST), await open(REQUEST), await open(REQUEST)];
  const newConnection = await open('');
  await closed(newConnection);
  assert.equal(refused(), 1);
  await open(REQUEST, '127.0.0.2');
  assert.equal(responses.length, MAX_PER_PEER + 1);
  assert.ok(busy.every(({ destroyed }) => !destroyed));
  busy[0]!.destroy();
  await once(responses[0]!, 'close');
  await open(REQUEST);
  assert.equal(responses.length, MAX_PER_PEER + 2);
});

const reporting = (report: object) => ({ ...process.report, getReport: () => report });

test('openFileLimit returns the soft limit of the system, Infinity without one', () => {
  assert.equal(openFileLimit(process.report), openFileLimit(process.report, ''));
  const limits = (soft: unknown) => ({ userLimits: { open_files: { soft, hard: soft } } });
  assert.equal(openFileLimit(reporting(limits(256)), ''), 256);
  for (const report of [limits('unlimited'), {}])
    assert.equal(openFileLimit(reporting(report), ''), Infinity);
});

test('openFileLimit reads the file in which Linux has it, and needs no report then', () => {
  const line = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units
Max processes             128                  256                  processes
Max open files            ${soft.padEnd(20)} 4096                 files
`;
  const report = {
    ...process.report,
    getReport: () => assert.fail('a report was made'),
  };
  assert.equal(openFileLimit(report, line('1024')), 1024);
  assert.equal(openFileLimit(report, line('unlimited')), Infinity);
});
