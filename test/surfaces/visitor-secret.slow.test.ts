import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { runProgram, post, startProduct } from '../support/product.ts';

const WARNING = /VISITOR_SECRET is not set/g;

test('a server on a database warns once without VISITOR_SECRET, and not with it', async (t) => {
  const settings = { DATABASE_URL: await newDatabase(t), LOG_LEVEL: 'warn' };
  const without = await startProduct(settings);
  t.after(() => without.end('SIGKILL'));
  assert.equal((await post(without.url, 'x')).status, 201);
  assert.equal(without.log().match(WARNING)?.length, 1);

  const secret = randomBytes(32).toString('base64');
  const withSecret = await startProduct({ ...settings, VISITOR_SECRET: secret });
  t.after(() => withSecret.end('SIGKILL'));
  assert.equal((await post(withSecret.url, 'x')).status, 201);
  assert.doesNotMatch(withSecret.log(), WARNING);
});

test('an operator command does not read VISITOR_SECRET and does not warn without it', async (t) => {
  const file = join(await temporaryFolder(t), 'export.jsonl');
  writeFileSync(file, '{"porchlight":"export","format":1}\n');
  const { status, stderr } = await runProgram(['import', file], {
    DATABASE_URL: await newDatabase(t),
    VISITOR_SECRET: '/a/file/that/only/the/service/may/read',
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /VISITOR_SECRET/);
});
