import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toBaseUrl, toAccessPolicy, refuseOpenLoopback } from '#server/access-policy.ts';
import { ConfigError, readConfig } from '#settings/config.ts';

const INVALID: [variables: Record<string, string>, message: RegExp][] = [
  [{ PORT: 'eighty' }, /^PORT must be a whole number from 0 to 65535\.$/],
  [{ PORT: '-1' }, /^PORT /],
  [{ PORT: '65536' }, /^PORT /],
  [{ BASE_URL: 'example.org' }, /^BASE_URL must be an http or https URL/],
  [{ BASE_URL: 'https://example.org/?x=1' }, /^BASE_URL /],
  [{ BASE_URL: 'https://me@example.org' }, /^BASE_URL /],
  [{ TRUSTED_PROXIES: 'loopback' }, /^TRUSTED_PROXIES must be IP addresses or CIDR ranges/],
  [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES /],
  [
    { DATABASE_URL: 'mysql://me:secret@host/x' },
    /^DATABASE_URL must be the URL of a database, such as postgres:\/\/\S+$/,
  ],
  [{ KEYS_DIR: 'postgres://user@host/x' }, /^KEYS_DIR must be a folder/],
  [{ METRICS_PORT: 'x' }, /^METRICS_PORT must be a whole number/],
  [{ SERVICE_NAME: '../etc' }, /^SERVICE_NAME /],
  [{ FEED_POSTS_PER_HOUR: '1.5' }, /^FEED_POSTS_PER_HOUR /],
  [{ IPV4_PREFIX: '33' }, /^IPV4_PREFIX /],
  [{ IPV6_PREFIX: '0' }, /^IPV6_PREFIX /],
  [
    { ALLOWED_ORIGINS: 'https://*.example.org' },
    /^ALLOWED_ORIGINS must be \* for any, or complete origins such as /,
  ],
  [{ ALLOWED_HOSTS: 'a.example, *.b.example' }, /^ALLOWED_HOSTS must be \* for any, or complete host names/],
  [{ ALLOWED_HOSTS: 'https://a.example' }, /^ALLOWED_HOSTS /],
  [{ ALLOWED_HOSTS: 'a.example/mcp' }, /^ALLOWED_HOSTS /],
  [{ ALLOWED_HOSTS: 'me@a.example' }, /^ALLOWED_HOSTS /],
  [{ ALLOWED_HOSTS: 'a.example b.example' }, /^ALLOWED_HOSTS /],
  [{ ALLOWED_ORIGINS: 'a.example' }, /^ALLOWED_ORIGINS /],
  [{ ALLOWED_ORIGINS: 'a.example:443' }, /^ALLOWED_ORIGINS /],
  [{ ALLOWED_ORIGINS: 'https://a.example/app' }, /^ALLOWED_ORIGINS /],
  [{ ALLOWED_ORIGINS: 'https://a.example/?' }, /^ALLOWED_ORIGINS /],
  [{ ALLOWED_ORIGINS: 'https://a.example; https://b.example' }, /^ALLOWED_ORIGINS /],
  [{ DATA_DIR: '"/data"' }, /^DATA_DIR must have no quotation marks, spaces or carriage returns/],
  [{ DATA_DIR: "'/data'" }, /^DATA_DIR must have no quotation marks, spaces or carriage returns/],
  [{ DATA_DIR: '/data\r' }, /^DATA_DIR must have no quotation marks, spaces or carriage returns/],
  [{ DATA_DIR: '"/data"\r' }, /^DATA_DIR must have no quotation marks, spaces or carriage returns/],
  [{ DATA_DIR: ' /data' }, /^DATA_DIR must have no quotation marks, spaces or carriage returns/],
  [{ DATA_DIR: '/data\n' }, /^DATA_DIR must have no quotation marks, spaces or carriage returns/],
  ...['${user_config.data_dir}', '$HOME/x', '%APPDATA%\\x', '/data/${NAME}', '{{ data }}'].map(
    (text): [Record<string, string>, RegExp] => [
      { DATA_DIR: text },
      /^DATA_DIR still contains a placeholder/,
    ],
  ),
  [
    { KEYS_DIR: '$X', CONTACT: '${contact}', ALLOWED_HOSTS: '${host}', HOST: '%HOST%' },
    /^HOST still contains a .*\nKEYS_DIR still contains a .*\nCONTACT still contains a .*\nALLOWED_HOSTS still contains a [^\n]*$/,
  ],
  [{ DATA_DIR: 'C:\\x' }, /^DATA_DIR must be a path on this system/],
  [{ DATABASE_URL: 'postgres://me:12#secret@host/x' }, /^DATABASE_URL must not contain #, [^\n]*$/],
  [{ DATA_DIR: '~/x' }, /^DATA_DIR must not begin with ~/],
  [{ KEYS_DIR: '~' }, /^KEYS_DIR must not begin with ~/],
  [{ VISITOR_SECRET_DIR: '~ann/secrets' }, /^VISITOR_SECRET_DIR must not begin with ~/],
  [{ HOST: '"0.0.0.0"', CONTACT: "'ann'" }, /^HOST must have no .*\nCONTACT must have no [^\n]*$/],
  [{ PORT: '8787\r' }, /^PORT must have no quotation marks, spaces or carriage returns/],
  [{ STORE_MAX_BYTES: '1GB' }, /^STORE_MAX_BYTES must be a whole number from 0 to \d+\.$/],
  [{ STORE_MAX_BYTES: '-1' }, /^STORE_MAX_BYTES /],
  [{ STORE_MAX_BYTES: '1e9' }, /^STORE_MAX_BYTES /],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of fatal, error/],
  [{ READ_MAX_AGE: 'x', PORT: 'x' }, /^PORT .*\nREAD_MAX_AGE .*$/],
];

describe('an invalid configuration throws ConfigError with one line per setting', () => {
  for (const [variables, message] of INVALID) {
    it(JSON.stringify(variables), () => {
      assert.throws(
        () => readConfig(variables),
        (error) => error instanceof ConfigError && message.test(error.message),
      );
    });
  }
});

it('the defaults are the documented ones', () => {
  const config = readConfig({});
  assert.equal(toBaseUrl(config, config.port), 'http://127.0.0.1:8787');
  assert.deepEqual(config.limits, {
    feedPostsPerHour: 24,
    porchWritesPerHour: 10,
    porchWritesPerDay: 40,
    writesPerMinuteTotal: 0,
    reportsPerHour: 20,
    requestsPerMinute: 1200,
    waitsPerNetwork: 50,
  });
  assert.deepEqual(config.network, { trustedProxies: [], ipv4Prefix: 32, ipv6Prefix: 64 });
  assert.equal(config.serviceName, 'porchlight');
  assert.equal(config.readMaxAge, 0);
  assert.equal(config.storeMaxBytes, 0);
});

it('an empty variable counts as one that is not set', () => {
  assert.equal(readConfig({ PORT: '' }).port, 8787);
});

const BASE_URLS: [given: string, converted: string][] = [
  ['https://example.org/porch/', 'https://example.org/porch'],
  ['https://例え.jp', 'https://xn--r8jz45g.jp'],
  ['https://xn--r8jz45g.jp/', 'https://xn--r8jz45g.jp'],
  ['https://example.org/ポーチ', 'https://example.org/%E3%83%9D%E3%83%BC%E3%83%81'],
  ['HTTPS://Example.ORG:443', 'https://example.org'],
  ['http://example.org:8080/a/../b', 'http://example.org:8080/b'],
];

describe('a base URL is converted to what headers and links can have', () => {
  for (const [given, converted] of BASE_URLS)
    it(given, () => {
      assert.equal(readConfig({ BASE_URL: given }).baseUrl, converted);
    });

  it('from a HOST that is not ASCII', () => {
    assert.equal(toBaseUrl(readConfig({ HOST: '例え.jp' }), 80), 'http://xn--r8jz45g.jp:80');
  });
});

const ACCESS: [variables: Record<string, string>, hosts: string[] | null, origins: string[] | null][] = [
  [
    {},
    ['127.0.0.1:8787', 'localhost', '127.0.0.1', '[::1]'],
    ['http://127.0.0.1:8787', 'http://localhost', 'http://127.0.0.1', 'http://[::1]'],
  ],
  [{ HOST: '0.0.0.0' }, null, ['http://localhost:8787']],
  [{ HOST: '0.0.0.0', BASE_URL: 'https://p.example.org' }, ['p.example.org'], ['https://p.example.org']],
  [
    { HOST: '::', ALLOWED_HOSTS: 'A.example.org, b.example.org' },
    ['a.example.org', 'b.example.org'],
    ['http://localhost:8787'],
  ],
  [{ HOST: '10.0.0.5' }, ['10.0.0.5:8787'], ['http://10.0.0.5:8787']],
  [
    { HOST: '10.0.0.5', ALLOWED_HOSTS: '例え.jp,a.example:443, b.example:80,c.example:8080,::1,[::2]:443' },
    ['xn--r8jz45g.jp', 'a.example', 'b.example', 'c.example:8080', '[::1]', '[::2]'],
    ['http://10.0.0.5:8787'],
  ],
  [
    {
      HOST: '10.0.0.5',
      ALLOWED_ORIGINS:
        'https://a.example/, HTTPS://B.example:443,https://例え.jp,http://c.example:80,http://[::1]:3000,chrome-extension://abc',
    },
    ['10.0.0.5:8787'],
    [
      'https://a.example',
      'https://b.example',
      'https://xn--r8jz45g.jp',
      'http://c.example',
      'http://[::1]:3000',
      'chrome-extension://abc',
    ],
  ],
  [
    { ALLOWED_ORIGINS: 'https://app.example.org' },
    ['127.0.0.1:8787', 'localhost', '127.0.0.1', '[::1]'],
    ['https://app.example.org'],
  ],
  [{ HOST: '10.0.0.5', ALLOWED_ORIGINS: '*' }, ['10.0.0.5:8787'], null],
  [{ HOST: '10.0.0.5', ALLOWED_HOSTS: 'a.example, *' }, null, ['http://10.0.0.5:8787']],
  [
    { HOST: '0.0.0.0', BASE_URL: 'https://p.example.org', ALLOWED_HOSTS: '*', ALLOWED_ORIGINS: '*' },
    null,
    null,
  ],
];

describe('the allowed hosts and origins of /mcp are derived from HOST, BASE_URL and the two lists', () => {
  for (const [variables, allowedHosts, allowedOrigins] of ACCESS) {
    it(JSON.stringify(variables), () => {
      const config = readConfig(variables);
      assert.deepEqual(toAccessPolicy(config, toBaseUrl(config, config.port)), {
        isLocal: variables['HOST'] === undefined,
        allowedHosts,
        allowedOrigins,
      });
    });
  }
});

describe('* for any host or origin is refused where HOST is a loopback address', () => {
  for (const HOST of [
    ...['127.0.0.1', '127.8.8.8', '127.1', '2130706433', 'localhost', 'localhost.', 'LOCALHOST', '::1'],
    ...['::ffff:127.0.0.1', '::1%lo'],
  ])
    for (const name of ['ALLOWED_HOSTS', 'ALLOWED_ORIGINS'])
      it(`${name} on ${HOST}`, () => {
        assert.throws(
          () => {
            refuseOpenLoopback(readConfig({ HOST, [name]: '*' }));
          },
          (error) =>
            error instanceof ConfigError &&
            error.message.startsWith(`${name} must not be * while HOST is the loopback address ${HOST}, `) &&
            !error.message.includes('\n'),
        );
      });

  it('it is accepted on any other address', () => {
    for (const HOST of ['0.0.0.0', '::', '10.0.0.5', '2001:db8::1', 'porch.example.org', 'localhost.example'])
      refuseOpenLoopback(readConfig({ HOST, ALLOWED_HOSTS: '*', ALLOWED_ORIGINS: '*' }));
  });
});

it('an IPv6 address is in brackets in the base URL', () => {
  assert.equal(toBaseUrl(readConfig({ HOST: '::1' }), 80), 'http://[::1]:80');
});

it('a HOST means the same in each spelling of its address', () => {
  const policyOf = (HOST: string): object => {
    const config = readConfig({ HOST });
    const baseUrl = toBaseUrl(config, config.port);
    return { baseUrl, ...toAccessPolicy(config, baseUrl) };
  };
  for (const [usual, ...others] of [
    ['::1', '0:0:0:0:0:0:0:1', '::0:1'],
    ['127.0.0.1', '2130706433', '0x7f.1'],
    ['0.0.0.0', '0', '0:0:0:0:0:0:0:0', '::0'],
  ] as const)
    for (const other of others) assert.deepEqual(policyOf(other), policyOf(usual), other);
});

it('an address with a zone needs a BASE_URL', () => {
  const variables = { HOST: 'fe80::1%eth0' };
  assert.throws(() => toBaseUrl(readConfig(variables), 80), ConfigError);
  assert.equal(toBaseUrl(readConfig({ ...variables, BASE_URL: 'http://a.example' }), 80), 'http://a.example');
});

it('a value that is spelled unusually and right is taken as it is', () => {
  const { dataDir, contact } = readConfig({ DATA_DIR: '/my data/#1 ~', CONTACT: '"Ann" <ann@example.org>' });
  assert.deepEqual([dataDir, contact], ['/my data/#1 ~', '"Ann" <ann@example.org>']);
});
