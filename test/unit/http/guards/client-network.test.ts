import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { isLoopback, clientNetwork } from '#http/guards/client-network.ts';
import { from, PROXIED, setUp } from '../../../support/http/setting.ts';
import { assertProblem, assertRpcProblem } from '../../../support/http/problem.ts';

const RULES = { ipv4Prefix: 32, ipv6Prefix: 64 };

describe('a network is the IPv4 address or the IPv6 /64', () => {
  const NETWORKS: Record<string, (string | undefined)[]> = {
    '192.0.2.7/32': [
      '192.0.2.7',
      '192.0.2.7:4711',
      '::ffff:192.0.2.7',
      '::FFFF:C000:0207',
      '[::ffff:192.0.2.7]:4711',
      '[::ffff:192.0.2.7]',
    ],
    '192.0.2.8/32': ['192.0.2.8'],
    '2001:db8:1:2::/64': [
      '2001:db8:1:2::',
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:DB8:1:2::7',
      '[2001:db8:1:2::7]',
      '[2001:db8:1:2::7]:4711',
      '2001:0db8:0001:0002:0000:0000:0000:0007',
      '2001:db8:1:2::192.0.2.7',
    ],
    '2001:db8:1:3::/64': ['2001:db8:1:3::7'],
    'fe80::/64': ['fe80::1', 'fe80::1%eth0', 'fe80::2%25en0', '[fe80::1%eth0]:4711'],
    local: [
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '0:0:0:0:0:0:0:1',
      '[::1]:4711',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '127.0.0.1:4711',
    ],
    unknown: [
      undefined,
      '',
      ' ',
      'zebra',
      'unknown',
      '_hidden',
      'localhost',
      '192.0.2',
      '192.0.2.256',
      '192.0.2.7.8',
      '0xC0000207',
      '3221225991',
      '0300.0.2.7',
      '2001:db8',
      '2001:db8::1::2',
      '[2001:db8::7',
      'for=192.0.2.7',
      '192.0.2.7/24',
      '-1',
      '%',
      '192.0.2.7, 192.0.2.8',
    ],
  };
  for (const [network, addresses] of Object.entries(NETWORKS)) {
    for (const address of addresses)
      it(`${address} is of ${network}`, () => {
        assert.equal(clientNetwork(address, RULES), network);
      });
  }

  it('prefix lengths are configuration', () => {
    assert.equal(clientNetwork('192.0.2.77', { ipv4Prefix: 24, ipv6Prefix: 64 }), '192.0.2.0/24');
    assert.equal(clientNetwork('2001:db8:1:2::7', { ipv4Prefix: 32, ipv6Prefix: 48 }), '2001:db8:1::/48');
    assert.equal(
      clientNetwork('2001:db8:1:2::7', { ipv4Prefix: 32, ipv6Prefix: 128 }),
      '2001:db8:1:2::7/128',
    );
  });
});

/** One post is free for each network; a second one of the same is 429. */
const ONE = { empty: true, limits: { feedPostsPerHour: 1 } };
const post = { body: { message: 'x' } };

test('X-Forwarded-For without a trusted proxy changes nothing and warns once', async (t) => {
  const { ask, house } = await setUp(t, ONE);
  const told = [];
  for (let i = 0; i < 5; i++)
    told.push(await ask('POST /api/feed', { headers: from(`192.0.2.${i}`), ...post }));
  assert.deepEqual(
    told.map(({ status }) => status),
    [201, 429, 429, 429, 429],
  );
  assert.equal(house.warnings.length, 1);
  assert.doesNotMatch(house.warnings[0]!, /192\.0/);
});

test('127.0.0.0/8 and ::1 are loopback addresses, mapped ones too, and nothing else is', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '[::1]:80'])
    assert.equal(isLoopback(address), true, address);
  for (const address of [undefined, '', '10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'localhost'])
    assert.equal(isLoopback(address), false, address);
});

test('other headers that name an address change nothing', async (t) => {
  const { ask } = await setUp(t, ONE, PROXIED);
  const names = [
    'Forwarded',
    'X-Real-IP',
    'X-Client-IP',
    'CF-Connecting-IP',
    'True-Client-IP',
    'X-Forwarded-Host',
    'Via',
  ];
  const statuses = [];
  for (const name of names)
    statuses.push((await ask('POST /api/feed', { headers: { [name]: '192.0.2.1' }, ...post })).status);
  assert.deepEqual(statuses, [201, ...Array<number>(6).fill(429)]);
});

describe('with trusted proxies the right-most address that is not trusted counts', () => {
  const TRUSTED = {
    network: { ...RULES, trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'] },
  };
  const SAME: [name: string, first: string | string[], second: string | string[]][] = [
    ['a forged address before it', '192.0.2.7', '198.51.100.1, 192.0.2.7'],
    ['a proxy behind it', '192.0.2.7', '192.0.2.7, 10.1.2.3'],
    ['a proxy over IPv6 behind it', '192.0.2.7', '198.51.100.1, 192.0.2.7, 2001:db8:ffff::1, 10.1.2.3'],
    ['mapped to IPv6', '192.0.2.7', '::ffff:192.0.2.7'],
    ['with a port', '192.0.2.7', '192.0.2.7:4711'],
    ['two headers', '192.0.2.7', ['198.51.100.1', '192.0.2.7']],
    ['one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::1'],
    ['garbage of two kinds', 'zebra', '192.0.2.7, \u00FF\u00FE'],
    ['empty list elements', '192.0.2.7', '192.0.2.7, ,'],
  ];
  for (const [name, first, second] of SAME) {
    it(`${name}: the same network`, async (t) => {
      const { ask, house } = await setUp(t, ONE, TRUSTED);
      const told = [first, second].map(
        (value) => () => ask('POST /api/feed', { headers: { 'X-Forwarded-For': value }, ...post }),
      );
      assert.deepEqual(
        [(await told[0]!()).status, (await told[1]!()).status, house.warnings],
        [201, 429, []],
      );
    });
  }

  it('two addresses are two networks', async (t) => {
    const { ask } = await setUp(t, ONE, TRUSTED);
    for (const address of [
      '192.0.2.7',
      '192.0.2.8',
      '2001:db8:1:2::1',
      '2001:db8:1:3::1',
      'zebra',
      '127.0.0.1',
    ]) {
      assert.equal((await ask('POST /api/feed', { headers: from(address), ...post })).status, 201, address);
    }
  });
});

describe('the shield', () => {
  const SHIELDED = { limits: { requestsPerMinute: 3 } };
  it('answers more than so many requests a minute with 429, on REST and /mcp together', async (t) => {
    const { ask, rpc } = await setUp(t, SHIELDED, PROXIED);
    const headers = from('192.0.2.7');
    for (const send of [
      () => ask('GET /', { headers }),
      () => rpc('ping', {}, headers),
      () => ask('GET /no/such', { headers }),
    ])
      await send();
    const told = await ask('GET /api/feed', { headers });
    assertProblem(told, 429, 'rate_limited');
    assert.equal(told.json.limit, 'requestsPerMinute');
    const seconds = Number(told.header('Retry-After'));
    assert.ok(seconds >= 1 && seconds <= 60 && seconds === told.json.retryAfterSeconds);
    assertRpcProblem(await rpc('ping', {}, headers), 429, 'rate_limited', -32000);
    assert.equal((await ask('GET /', { headers: from('192.0.2.8') })).status, 200, 'another network');
    assert.equal((await ask('GET /healthz')).status, 200);
  });

  it('lets this machine through, and all where it is 0', async (t) => {
    const [local, off] = [
      await setUp(t, SHIELDED),
      await setUp(t, { limits: { requestsPerMinute: 0 } }, PROXIED),
    ];
    for (let i = 0; i < 6; i++) {
      assert.equal((await local.ask('GET /api/feed')).status, 200);
      assert.equal((await off.ask('GET /api/feed', { headers: from('192.0.2.7') })).status, 200);
    }
  });
});
