import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig, ROOT, SETTING_NAMES } from '#settings/config.ts';
import { readCaddyfile, readCompose, readRestoreLines } from '../support/compose.ts';

const GIVEN = { DOMAIN: 'porch.example.org', CONTACT: 'op@example.org', POSTGRES_PASSWORD: 'x1' };

/** Other than settings: those of the images of the database and of Caddy. */
const FOREIGN = ['POSTGRES_USER', 'POSTGRES_PASSWORD', 'DOMAIN'];

const toVariables = (environment: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));

for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
  test(`${file} sets only what the program reads, and values that it accepts`, () => {
    const { services, volumes, networks } = readCompose(file, GIVEN);
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
    assert.ok(readCaddyfile(file).includes('reverse_proxy porchlight'));
  });

  test(`every container of ${file} has bounded logs, and all but the database a closed root and little memory`, () => {
    for (const [name, service] of Object.entries(readCompose(file, GIVEN).services)) {
      const { logging, read_only, cap_drop, security_opt, mem_limit } = service;
      const expected = { driver: 'local', options: { 'max-size': '10m', 'max-file': '3' } };
      assert.deepEqual(logging, expected, `${file} ${name}`);
      if (name === 'database') continue;
      assert.deepEqual(
        { read_only, cap_drop, security_opt },
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        `${file} ${name}`,
      );
      assert.match(String(mem_limit), /^(?:1g|512m)$/);
    }
  });
}

test('the workflow backs a place up and restores it with the lines of docs/operations.md', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/image.yml'), 'utf8');
  const lines = workflow.split('\n').map((line) => line.trim());
  const documented = readRestoreLines();
  assert.equal(documented.length, 2);
  for (const line of documented) assert.ok(lines.includes(line), line);
});

test('every action of the workflows is named by its commit', () => {
  const folder = join(ROOT, '.github/workflows');
  for (const file of readdirSync(folder)) {
    const workflow = readFileSync(join(folder, file), 'utf8');
    const actions = [...workflow.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
    assert.ok(actions.length > 0, file);
    for (const action of actions)
      assert.match(action, /^(?:[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\.\/\.github\/workflows\/\w+\.yml)$/);
  }
});

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
  const seen = [baseUrl, contact, network.ipv6Prefix];
  assert.deepEqual(seen, ['https://porch.example.org', 'op@example.org', 56]);
});
