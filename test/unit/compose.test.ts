import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig, SETTING_NAMES } from '../../src/config.ts';
import { readCompose } from '../support/compose.ts';

const GIVEN = { DOMAIN: 'porch.example.org', CONTACT: 'op@example.org', POSTGRES_PASSWORD: 'x1' };

/** Other than settings: those of the image of the database. */
const FOREIGN = ['POSTGRES_USER', 'POSTGRES_PASSWORD'];

const toVariables = (environment: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));

for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
  test(`${file} sets only what the program reads, and values that it accepts`, () => {
    const { services, volumes, networks, configs } = readCompose(file, GIVEN);
    for (const [name, { environment = {}, ...service }] of Object.entries(services)) {
      const unknown = Object.keys(environment).filter(
        (one) => !(SETTING_NAMES as string[]).includes(one) && !FOREIGN.includes(one),
      );
      assert.deepEqual(unknown, [], name);
      if (service.image === 'porchlight') readConfig(toVariables(environment));
      for (const mount of service.volumes ?? [])
        assert.ok(Object.hasOwn(volumes, mount.slice(0, mount.indexOf(':'))), mount);
    }
    assert.deepEqual(Object.keys(networks), ['inside']);
    assert.ok(configs['caddyfile']!.content.includes('reverse_proxy porchlight'));
  });
}

test('compose.yaml does not start without DOMAIN or without CONTACT', () => {
  for (const name of ['DOMAIN', 'CONTACT'])
    assert.throws(
      () => readCompose('compose.yaml', { ...GIVEN, [name]: '' }),
      new RegExp(`^Error: ${name}: set it`),
    );
});

test('compose.yaml trusts the addresses of its Caddy, and no others', () => {
  const { services } = readCompose('compose.yaml', GIVEN);
  const { inside } = services['caddy']!['networks'] as { inside: object };
  assert.equal(services['porchlight']!.environment!['TRUSTED_PROXIES'], Object.values(inside).join());
  const { baseUrl, contact, network } = readConfig(toVariables(services['porchlight']!.environment!));
  assert.deepEqual(
    [baseUrl, contact, network.ipv6Prefix],
    ['https://porch.example.org', 'op@example.org', 56],
  );
});
