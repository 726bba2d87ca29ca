import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createHttpServer } from '#http/server.ts';
import { setUp, visibleIds } from '../../support/http/setting.ts';
import { assertProblem } from '../../support/http/problem.ts';
import { sendBytes, Told } from '../../support/http/wire.ts';

const { house, ask, store } = await setUp({ after });

/** Reads the one answer in the text that came back. */
function parse(text: string): Told {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return new Told(
    Number(line.split(' ')[1]),
    Object.fromEntries(
      headers.map((header) => {
        const [name = '', value = ''] = header.split(/: (.*)/);
        return [name.toLowerCase(), value];
      }),
    ),
    body,
  );
}

const HOST = 'Host: 127.0.0.1\r\nConnection: close\r\n';
const POST = `POST /api/feed HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

describe('what is no well-formed HTTP request gets a problem, and the connection is closed', () => {
  const WIRE: [name: string, bytes: string, status: number, code: string][] = [
    ['no HTTP at all', 'zebra\r\n\r\n', 400, 'malformed_json'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01', 400, 'malformed_json'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_json'],
    ['an unknown method', `ZEBRA /api/feed HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_json'],
    ['a blank in the address', `GET /api/feed zebra HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_json'],
    ['NUL in a header', `GET /api/feed HTTP/1.1\r\n${HOST}X: ze\0bra\r\n\r\n`, 400, 'malformed_json'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`, 400, 'malformed_json'],
    [
      'a length and chunks',
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_json',
    ],
    ['a length that is no number', `${POST}Content-Length: zebra\r\n\r\n{}`, 400, 'malformed_json'],
    ['a chunk that is none', `${POST}Transfer-Encoding: chunked\r\n\r\nzebra\r\n`, 400, 'malformed_json'],
    ['HTTP/1.1 without Host', 'GET /api/feed HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_json'],
    [
      'headers over 16 KiB',
      `GET /api/feed HTTP/1.1\r\n${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'an address over 16 KiB',
      `GET /${'x'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'an address over 8,000 characters',
      `GET /${'x'.repeat(8000)} HTTP/1.1\r\n${HOST}\r\n`,
      414,
      'uri_too_long',
    ],
  ];
  for (const [name, bytes, status, code] of WIRE) {
    it(`${name}: ${status} ${code}`, async () => {
      assertProblem(parse(await sendBytes(house.url, bytes)), status, code);
      assert.equal((await visibleIds(store)).length, 9);
    });
  }
});

describe('an address in absolute form is taken for its path, whatever its host', () => {
  const TARGETS: [target: string, status: number][] = [
    ['http://zebra.example/healthz', 200],
    ['http://[zebra/healthz', 200],
    ['http://xn--/healthz', 200],
    ['http://a:b@c:999999/healthz', 200],
    ['HTTPS://zebra/healthz', 200],
    ['http://', 200],
    ['http://[::1', 200],
    ['http://zebra?x', 200],
    ['http://[zebra/no/such', 404],
    ['http://zebra/%', 400],
  ];
  for (const [target, status] of TARGETS) {
    it(`${target}: ${status}`, async () => {
      const told = parse(await sendBytes(house.url, `GET ${target} HTTP/1.1\r\n${HOST}\r\n`));
      assert.equal(told.status, status, told.text);
      if (status >= 400) assertProblem(told, status, status === 404 ? 'not_found' : 'malformed_json');
    });
  }
});

it('an expectation that nobody knows is passed over', async () => {
  assert.equal((await ask('GET /api/feed', { headers: { Expect: 'zebra' } })).status, 200);
  assert.equal((await ask('POST /api/guestbook', { headers: { Expect: 'zebra' }, body: {} })).status, 422);
});

it('an upgrade that nobody knows is passed over', async () => {
  assert.equal(
    (await ask('GET /api/feed', { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } })).status,
    200,
  );
});

describe('a client that holds its connection open gains nothing', () => {
  it('headers that do not arrive in time: 408', async () => {
    const { server, url } = await bareServer();
    server.headersTimeout = 50;
    const told = parse(await sendBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n'));
    assertProblem(told, 408, 'request_timeout');
  });

  it('after a refusal the connection is gone, though the client never closes it', async () => {
    const { server, url } = await bareServer();
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.resume().write('zebra\r\n\r\n');
    await once(socket, 'end');
    const open = () =>
      new Promise<number>((resolve) => {
        server.getConnections((_, count) => {
          resolve(count);
        });
      });
    const deadline = performance.now() + 4000;
    while ((await open()) > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await open(), 0);
    socket.destroy();
  });
});

async function bareServer() {
  const server = createHttpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
