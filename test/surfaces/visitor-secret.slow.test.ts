import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { assertProblem } from '../support/http/problem.ts';
import { sendRequest } from '../support/http/send-request.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { runProgram, post, startProduct } from '../support/product.ts';

const WARNING = /nor VISITOR_SECRET is set/g;

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

test('servers with one VISITOR_SECRET_DIR write, and one with another folder refuses writes and says why', async (t) => {
  const [shared, other] = [await temporaryFolder(t), await temporaryFolder(t)];
  const settings = { DATABASE_URL: await newDatabase(t), LOG_LEVEL: 'warn', FEED_POSTS_PER_HOUR: '2' };
  const start = async (folder: string) => {
    const product = await startProduct({ ...settings, VISITOR_SECRET_DIR: folder });
    t.after(() => product.end('SIGKILL'));
    return product;
  };
  const [one, two] = [await start(shared), await start(shared)];
  assert.doesNotMatch(one.log(), WARNING);
  assert.deepEqual([(await post(one.url, 'x')).status, (await post(two.url, 'y')).status], [201, 201]);
  assert.equal((await post(two.url, 'z')).status, 429);

  const stranger = await start(other);
  const refused = await sendRequest(stranger.url, 'POST /api/feed', { body: { message: 'x' } });
  assertProblem(refused, 503, 'storage_unavailable');
  assert.match(
    stranger.log(),
    /VISITOR_SECRET_DIR has a secret for \d{4}-\d\d-\d\d that differs from that of the servers/,
  );
  assert.equal((await post(one.url, 'z')).status, 429);
});
