import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { describe, it, type TestContext } from 'node:test';
import { clientNetwork, createCallerResolver } from '#http/guards/client.ts';
import { createHttpServer } from '#http/server.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { listen } from '../../../support/http/listen.ts';
import { BEHIND_PROXY, forwardedFor, setUp } from '../../../support/http/test-app.ts';
import { closed } from '../../../support/wait-until.ts';

const TIMEOUT = { timeout: 20_000 };
const NO_PROXIES = { trustedProxies: [], ipv4Prefix: 32, ipv6Prefix: 64 };

async function startServer(t: TestContext) {
  const server = createHttpServer();
  const callerOf = createCallerResolver(NO_PROXIES, { warn: () => undefined });
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

test('a request whose connection is reset right after it counts for its network', TIMEOUT, async (t) => {
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
});

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
  const areLocal = clientKeys.every((clientKey) => clientKey === LOOPBACK_CLIENT);
  assert.ok(areLocal, clientKeys.join());
});

const RULES = { ipv4Prefix: 32, ipv6Prefix: 64 };

describe('clientNetwork derives the IPv4 address or the IPv6 /64', () => {
  const NETWORKS: Record<string, (string | undefined)[]> = {
    '192.0.2.7/32': [
      ...['192.0.2.7', '192.0.2.7:4711', '::ffff:192.0.2.7', '::FFFF:C000:0207'],
      ...['[::ffff:192.0.2.7]:4711', '[::ffff:192.0.2.7]'],
    ],
    '192.0.2.8/32': ['192.0.2.8'],
    '2001:db8:1:2::/64': [
      ...['2001:db8:1:2::', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:DB8:1:2::7', '[2001:db8:1:2::7]'],
      ...['[2001:db8:1:2::7]:4711', '2001:0db8:0001:0002:0000:0000:0000:0007', '2001:db8:1:2::192.0.2.7'],
    ],
    '2001:db8:1:3::/64': ['2001:db8:1:3::7'],
    'fe80::/64': ['fe80::1', 'fe80::1%eth0', 'fe80::2%25en0', '[fe80::1%eth0]:4711'],
    local: [
      ...['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '[::1]:4711', '::ffff:127.0.0.1'],
      ...['::ffff:7f00:1', '127.0.0.1:4711'],
    ],
    unknown: [
      undefined,
      ...['', ' ', 'zebra', 'unknown', '_hidden', 'localhost', '192.0.2', '192.0.2.256', '192.0.2.7.8'],
      ...['0xC0000207', '3221225991', '0300.0.2.7', '2001:db8', '2001:db8::1::2', '[2001:db8::7'],
      ...['for=192.0.2.7', '192.0.2.7/24', '-1', '%', '192.0.2.7, 192.0.2.8'],
    ],
  };
  for (const [network, addresses] of Object.entries(NETWORKS)) {
    for (const address of addresses)
      it(`${address} is in ${network}`, () => {
        assert.equal(clientNetwork(address, RULES), network);
      });
  }

  it('the prefix lengths of the rules are used', () => {
    assert.equal(clientNetwork('192.0.2.77', { ipv4Prefix: 24, ipv6Prefix: 64 }), '192.0.2.0/24');
    assert.equal(clientNetwork('2001:db8:1:2::7', { ipv4Prefix: 32, ipv6Prefix: 48 }), '2001:db8:1::/48');
    const network = clientNetwork('2001:db8:1:2::7', { ipv4Prefix: 32, ipv6Prefix: 128 });
    assert.equal(network, '2001:db8:1:2::7/128');
  });
});

/** The second post of a network is 429. */
const ONE = { empty: true, limits: { feedPostsPerHour: 1 } };
const post = { body: { message: 'x' } };

test('X-Forwarded-For of an untrusted peer is ignored and logged once', async (t) => {
  const { request, warnings } = await setUp(t, ONE);
  const responses = [];
  for (let i = 0; i < 5; i++)
    responses.push(await request('POST /api/feed', { headers: forwardedFor(`192.0.2.${i}`), ...post }));
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual(statuses, [201, 429, 429, 429, 429]);
  assert.equal(warnings.length, 1);
  assert.doesNotMatch(warnings[0]!, /192\.0/);
});

test('other headers with an address do not change the client of a request', async (t) => {
  const { request } = await setUp(t, ONE, BEHIND_PROXY);
  const names = [
    ...['Forwarded', 'X-Real-IP', 'X-Client-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Forwarded-Host'],
    'Via',
  ];
  const statuses = [];
  for (const name of names)
    statuses.push((await request('POST /api/feed', { headers: { [name]: '192.0.2.1' }, ...post })).status);
  assert.deepEqual(statuses, [201, ...Array<number>(6).fill(429)]);
});

describe('behind trusted proxies the client is the right-most address that is not trusted', () => {
  const TRUSTED = {
    network: { ...RULES, trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'] },
  };
  const SAME: [name: string, first: string | string[], second: string | string[]][] = [
    ['a forged address before it', '192.0.2.7', '198.51.100.1, 192.0.2.7'],
    ['a proxy behind it', '192.0.2.7', '192.0.2.7, 10.1.2.3'],
    ['a proxy over IPv6 behind it', '192.0.2.7', '198.51.100.1, 192.0.2.7, 2001:db8:ffff::1, 10.1.2.3'],
    ['a proxy with its port behind it', '192.0.2.7', '198.51.100.1, 192.0.2.7, 10.0.0.2:4433'],
    ['a proxy in brackets behind it', '192.0.2.7', '192.0.2.7, [2001:db8:ffff::1]'],
    ['a proxy in brackets with its port behind it', '192.0.2.7', '192.0.2.7, [2001:db8:ffff::1]:4433'],
    ['a proxy mapped to IPv6 with its port behind it', '192.0.2.7', '192.0.2.7, [::ffff:10.0.0.2]:80'],
    ['an address mapped to IPv6', '192.0.2.7', '::ffff:192.0.2.7'],
    ['an address with a port', '192.0.2.7', '192.0.2.7:4711'],
    ['an address in a second header', '192.0.2.7', ['198.51.100.1', '192.0.2.7']],
    ['two addresses of one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::1'],
    ['two unparsable addresses', 'zebra', '192.0.2.7, \u00FF\u00FE'],
    ['an empty list element', '192.0.2.7', '192.0.2.7, ,'],
  ];
  it('two spellings of it are the same network', async (t) => {
    const { request, warnings, clock } = await setUp(t, ONE, TRUSTED);
    for (const [name, ...values] of SAME) {
      const statuses = [];
      for (const value of values) {
        const { status } = await request('POST /api/feed', {
          headers: { 'X-Forwarded-For': value },
          ...post,
        });
        statuses.push(status);
      }
      assert.deepEqual([statuses, warnings], [[201, 429], []], name);
      clock.advance(3_600_000);
    }
  });

  it('different addresses are different networks', async (t) => {
    const { request } = await setUp(t, ONE, TRUSTED);
    for (const address of [
      ...['192.0.2.7', '192.0.2.8', '192.0.2.9, 10.0.0.2:4433', '192.0.2.10:4711, 10.0.0.2:4433'],
      ...['[2001:db8:1:4::1]:4711, [2001:db8:ffff::1]:4433', '2001:db8:1:2::1', '2001:db8:1:3::1'],
      ...['zebra', '127.0.0.1'],
    ]) {
      const { status } = await request('POST /api/feed', { headers: forwardedFor(address), ...post });
      assert.equal(status, 201, address);
    }
  });
});
