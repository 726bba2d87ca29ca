import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from './support/folder.ts';
import { startProduct } from './support/product.ts';

test('ALLOWED_ORIGINS=* on the default HOST stops the start with one sentence, before a store is made', async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(
    startProduct({ DATA_DIR: folder, ALLOWED_ORIGINS: '*' }),
    /^Error: it did not start: ALLOWED_ORIGINS must not be \* while HOST is the loopback address 127\.0\.0\.1, [^\n]+\.\n$/,
  );
  assert.deepEqual(readdirSync(folder), []);
});
