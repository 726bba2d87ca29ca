import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../../support/http/test-app.ts';

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

test('the server card is readable with any Accept and from any origin', async (t) => {
  const { request } = await setUp(t);
  const { status, headers } = await request('GET /mcp/server-card', {
    headers: { Accept: 'application/json', Origin: 'https://elsewhere.example' },
  });
  assert.deepEqual([status, headers['access-control-allow-origin']], [200, '*']);
  assert.equal((await request('GET /mcp/server-card', { headers: { Accept: 'text/html' } })).status, 200);
  assert.equal((await request('POST /mcp/server-card', { body: {} })).status, 405);
});
