import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { createHttpServer } from '#http/server.ts';
import { listen } from '../../support/http/listen.ts';
import { setUp, visibleIds } from '../../support/http/test-app.ts';
import { assertProblem } from '../../support/http/problem.ts';
import { sendBytes, HttpResponse } from '../../support/http/send-request.ts';
import { waitUntil } from '../../support/wait-until.ts';

const { url, request, store } = await setUp({ after });

/** Parses a raw HTTP response. */
function parse(text: string): HttpResponse {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return new HttpResponse(
    Number(line.split(' ')[1]),
    Object.fromEntries(
      headers.map((header) => {
        const [name = '', value = ''] = header.split(/: (.*)/);
        return [name.toLowerCase(), value];
      }),
    ),
    Buffer.from(body),
  );
}

const HOST = 'Host: 127.0.0.1\r\nConnection: close\r\n';
const POST = `POST /api/feed HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

it('an idle connection stays open for longer than most proxies keep it', async () => {
  const first = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const text = await sendBytes(url, `${first}GET /healthz HTTP/1.1\r\n${HOST}\r\n`);
  const [, seconds] = /^Keep-Alive: timeout=(\d+)/im.exec(text) ?? [];
  assert.ok(Number(seconds) > 120, text);
});

/** Bytes that are no request, by what is wrong with them. */
const MALFORMED: Readonly<Record<string, string>> = {
  'bytes that are not HTTP': 'zebra\r\n\r\n',
  TLS: '\x16\x03\x01\x02\x00\x01\x00\x01',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an unknown method': `ZEBRA /api/feed HTTP/1.1\r\n${HOST}\r\n`,
  'a space in the target': `GET /api/feed zebra HTTP/1.1\r\n${HOST}\r\n`,
  'NUL in a header': `GET /api/feed HTTP/1.1\r\n${HOST}X: ze\0bra\r\n\r\n`,
  'two different Content-Length headers': `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
  'Content-Length with Transfer-Encoding': `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a Content-Length that is not a number': `${POST}Content-Length: zebra\r\n\r\n{}`,
  'an invalid chunk': `${POST}Transfer-Encoding: chunked\r\n\r\nzebra\r\n`,
  'HTTP/1.1 without Host': 'GET /api/feed HTTP/1.1\r\nConnection: close\r\n\r\n',
  'two Host headers': `GET /api/feed HTTP/1.1\r\n${HOST}Host: zebra.example\r\n\r\n`,
  'a Host header twice': `GET /api/feed HTTP/1.1\r\n${HOST}hOST: 127.0.0.1\r\n\r\n`,
  'two Host headers on the way to Express': `GET /api/no/such HTTP/1.0\r\n${HOST}HOST:\r\n\r\n`,
  'two Host headers of a write': `${POST}host: zebra.example\r\nContent-Length: 15\r\n\r\n{"message":"a"}`,
  'a second Host header behind 2,500 others': `GET /api/feed HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(2500)}Host: zebra.example\r\n\r\n`,
};

/** Of a request with a long target, or long headers. */
const TOO_LONG: [name: string, target: string, headers: string, status: number, code: string][] = [
  ['headers over 16 KiB', '/api/feed', `X: ${'x'.repeat(17_000)}\r\n`, 431, 'headers_too_large'],
  ['a target over 16 KiB', `/${'x'.repeat(17_000)}`, '', 431, 'headers_too_large'],
  ['a target over 8,000 characters', `/${'x'.repeat(8000)}`, '', 414, 'uri_too_long'],
];

describe('a request that is malformed or too long gets a problem response, and its connection is closed', () => {
  const isRefused = (name: string, bytes: string, status: number, code: string): void => {
    it(`${name}: ${status} ${code}`, async () => {
      assertProblem(parse(await sendBytes(url, bytes)), status, code);
      assert.equal((await visibleIds(store)).length, 9);
    });
  };
  for (const [name, bytes] of Object.entries(MALFORMED)) isRefused(name, bytes, 400, 'malformed_request');
  for (const [name, target, headers, ...refusal] of TOO_LONG)
    isRefused(name, `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`, ...refusal);
});

describe('a request target in absolute form is routed by its path, whatever its host', () => {
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
      const response = parse(await sendBytes(url, `GET ${target} HTTP/1.1\r\n${HOST}\r\n`));
      assert.equal(response.status, status, response.text);
      if (status >= 400) assertProblem(response, status, status === 404 ? 'not_found' : 'malformed_request');
    });
  }
});

it('a request with an unknown Expect header is handled as without it', async () => {
  assert.equal((await request('GET /api/feed', { headers: { Expect: 'zebra' } })).status, 200);
  const { status } = await request('POST /api/guestbook', { headers: { Expect: 'zebra' }, body: {} });
  assert.equal(status, 422);
});

it('a request with an unknown Upgrade header is handled as without it', async () => {
  const { status } = await request('GET /api/feed', { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } });
  assert.equal(status, 200);
});

describe('a connection that a client holds open is closed', () => {
  it('a request whose headers do not arrive in time is 408', async () => {
    const { server, url } = await bareServer({ connectionsCheckingInterval: 50 });
    server.headersTimeout = 50;
    const response = parse(await sendBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n'));
    assertProblem(response, 408, 'request_timeout');
  });

  it('after an error response the connection is closed, although the client never closes its end', async () => {
    const { server, url } = await bareServer();
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.write('zebra\r\n\r\n');
    await once(socket, 'end');
    const open = () =>
      new Promise<number>((resolve) => {
        server.getConnections((_, count) => {
          resolve(count);
        });
      });
    await waitUntil(async () => (await open()) === 0);
    socket.destroy();
  });
});

async function bareServer(limits?: Parameters<typeof createHttpServer>[0]) {
  const server = createHttpServer(limits);
  return { server, url: await listen({ after }, server) };
}
