import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { startProduct } from '../support/product.ts';

test('ALLOWED_ORIGINS=* on the default HOST stops the start with one sentence, before a store is made', async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(
    startProduct({ DATA_DIR: folder, ALLOWED_ORIGINS: '*' }),
    /^Error: it did not start: ALLOWED_ORIGINS must not be \* while HOST is the loopback address 127\.0\.0\.1, [^\n]+\.\n$/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

for (const HOST of ['x86_64-conda-linux-gnu', '192.0.2.1'])
  test(`a HOST that is no address of this machine, as ${HOST}, is named in one sentence`, async (t) => {
    await assert.rejects(
      startProduct({ DATA_DIR: await temporaryFolder(t), HOST }),
      /^Error: it did not start: HOST, and METRICS_HOST if it is set, must be [^\n]+\.\n$/,
    );
  });

for (const [name, settings, warnings] of [
  ['TRUSTED_PROXIES without BASE_URL', { TRUSTED_PROXIES: '10.0.0.1' }, 1],
  ['TRUSTED_PROXIES with BASE_URL', { TRUSTED_PROXIES: '10.0.0.1', BASE_URL: 'http://porch.example.org' }, 0],
] as const) {
  test(`a start with ${name} logs ${warnings} warnings about links`, async (t) => {
    const product = await startProduct({ DATA_DIR: await temporaryFolder(t), ...settings });
    const closed = once(product.child, 'close');
    await product.end('SIGKILL');
    await closed;
    const lines = product.log().match(/^.*TRUSTED_PROXIES is set and BASE_URL is not.*$/gm) ?? [];
    assert.equal(lines.length, warnings);
    for (const line of lines) assert.match(line, /"baseUrl":"http:\/\/127\.0\.0\.1:\d+"/);
  });
}
