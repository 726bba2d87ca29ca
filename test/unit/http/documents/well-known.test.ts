import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { assertProblem } from '../../../support/http/problem.ts';
import { setUp } from '../../../support/http/test-app.ts';

const LINK = '<http://porchlight.test/.well-known/api-catalog>; rel="api-catalog"';

test('the API catalog is a link set whose addresses are there, in the types that it names', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /.well-known/api-catalog');
  const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
  assert.equal(response.header('Content-Type'), linkset);
  const [catalog, ...interfaces] = response.json.linkset;
  const listed = catalog.item.map(({ href }: { href: string }) => href);
  assert.deepEqual(
    listed,
    interfaces.map(({ anchor }: { anchor: string }) => anchor),
  );
  for (const entry of interfaces)
    for (const { href, type } of [...entry['service-desc'], ...entry['service-doc']]) {
      const target = await request(`GET ${href.replace('http://porchlight.test', '')}`);
      assert.deepEqual([target.status, target.header('Content-Type').split(';')[0]], [200, type]);
    }
});

test('the catalog and the home page announce it, and HEAD does too', async (t) => {
  const { request } = await setUp(t);
  for (const line of ['GET /', 'HEAD /', 'HEAD /.well-known/api-catalog'])
    assert.equal((await request(line)).header('Link'), LINK);
});

const BASES: [baseUrl: string, name: string, host: string][] = [
  ['https://porchlight.example.org', 'org.example.porchlight/porchlight', 'porchlight.example.org'],
  ['http://127.0.0.1:8787', '1.0.0.127/porchlight', '127.0.0.1'],
  ['http://localhost', 'localhost/porchlight', 'localhost'],
  ['http://[::1]:8787', '1/porchlight', '1'],
  ['https://example.org/behind/a/proxy', 'org.example/porchlight', 'example.org'],
];

const ENDPOINTS = [
  ['/mcp', ''],
  ['/mcp/core', '-core'],
] as const;

for (const [baseUrl, name, host] of BASES) {
  test(`at ${baseUrl} the AI catalog links the server cards, and each card links its endpoint`, async (t) => {
    const { request } = await setUp(t, { baseUrl });
    const catalog = await request('GET /.well-known/ai-catalog.json', {
      headers: { Accept: 'application/ai-catalog+json' },
    });
    assert.match(catalog.header('Content-Type'), /^application\/ai-catalog\+json/);
    for (const [index, [path, suffix]] of ENDPOINTS.entries()) {
      const entry = catalog.json.entries[index];
      assert.equal(entry.identifier, `urn:air:${host}:mcp:porchlight${suffix}`);
      assert.equal(entry.url, `${baseUrl}${path}/server-card`);
      const card = await request(`GET ${path}/server-card`, { headers: { Accept: entry.type } });
      assert.match(card.header('Content-Type'), /^application\/mcp-server-card\+json/);
      assert.equal(card.json.name, `${name}${suffix}`);
      assert.match(card.json.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
      assert.ok(card.json.description.length <= 100);
      assert.equal(card.json.remotes[0].url, `${baseUrl}${path}`);
      assert.deepEqual(card.json.remotes[0].supportedProtocolVersions.slice(0, 2), [
        '2026-07-28',
        '2025-11-25',
      ]);
    }
    assert.equal(catalog.json.entries.length, ENDPOINTS.length);
  });
}

const SECURITY_TXT = '/.well-known/security.txt';

test('with a contact security.txt has what RFC 9116 requires, and expires within a year', async (t) => {
  const app = { baseUrl: 'https://porch.example/under', contact: 'ops@porch.example' };
  const { request, clock } = await setUp(t, app);
  const response = await request(`GET ${SECURITY_TXT}`);
  assert.equal(response.header('Content-Type'), 'text/plain; charset=utf-8');
  assert.equal(
    response.text,
    'Contact: mailto:ops@porch.example\nExpires: 2026-08-29T16:00:00Z\nPreferred-Languages: en\n' +
      'Canonical: https://porch.example/under/.well-known/security.txt\n',
  );
  clock.advance(86_400_000 - 1);
  assert.equal((await request(`GET ${SECURITY_TXT}`)).text, response.text);
  clock.advance(1);
  assert.match((await request(`GET ${SECURITY_TXT}`)).text, /Expires: 2026-08-30T16:00:00Z/);
});

test('the file at an address without TLS names no canonical one, which would have to be https', async (t) => {
  const { request } = await setUp(t, { contact: 'mailto:ops@porch.example' });
  const { text } = await request(`GET ${SECURITY_TXT}`);
  assert.match(text, /^Contact: mailto:ops@porch\.example\n/);
  assert.doesNotMatch(text, /Canonical/);
});

describe('a contact that is no URI of https, e-mail or telephone makes no security.txt', () => {
  for (const contact of [
    null,
    '',
    'the harbour office',
    'ask @harbour',
    'http://porch.example/x',
    'javascript:x',
  ])
    it(String(contact), async (t) => {
      const { request } = await setUp(t, { contact });
      assertProblem(await request(`GET ${SECURITY_TXT}`), 404, 'not_found');
    });

  it('but one of https does', async (t) => {
    const { request } = await setUp(t, { contact: ' https://porch.example/contact?x=1 ' });
    const { text } = await request(`GET ${SECURITY_TXT}`);
    assert.match(text, /^Contact: https:\/\/porch\.example\/contact\?x=1\n/);
  });
});
