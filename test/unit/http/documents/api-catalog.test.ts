import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../../support/http/test-app.ts';

const LINK = '<http://porchlight.test/.well-known/api-catalog>; rel="api-catalog"';

test('the API catalog is a link set whose addresses are there, in the types that it names', async (t) => {
  const { request } = await setUp(t);
  const response = await request('GET /.well-known/api-catalog');
  assert.equal(
    response.header('Content-Type'),
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  const [catalog, ...interfaces] = response.json.linkset;
  assert.deepEqual(
    catalog.item.map(({ href }: { href: string }) => href),
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
