import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { NO_LIMITS, setUp, untilWaiting, type TestApp } from '../support/http/test-app.ts';
import { runProgram } from '../support/product.ts';
import { Proxy } from '../support/proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

const publish = async (app: TestApp, message: string): Promise<{ id: string; createdAt: string }> =>
  (await app.request('POST /api/feed', { body: { message } })).json;

test('porchlight wait survives a cut connection and prints what was posted meanwhile', async (t) => {
  const app = await setUp(t, { limits: NO_LIMITS });
  const before = await publish(app, 'before the wait');
  const proxy = await Proxy.open(t, app.url);
  const command = runProgram(['wait', proxy.url, '--view', 'preview']);
  await untilWaiting(app, 1);
  proxy.refuse();
  await untilWaiting(app, 0);
  const { id, createdAt } = await publish(app, 'RESULT: posted while nobody waits');
  await waitUntil(() => proxy.refused > 0);
  proxy.mend();
  const { status, stdout, stderr } = await command;
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^A call failed \(.+\); trying again\.\n$/m);
  const { nextAfter, messages } = JSON.parse(stdout);
  assert.notEqual(id, before.id);
  assert.deepEqual(
    [nextAfter, messages.map((message: object) => ['excerpt' in message, (message as { id: string }).id])],
    [createdAt, [[true, id]]],
  );
});

test('porchlight wait exits with 3 and the cursor to go on from when nothing came', async (t) => {
  const app = await setUp(t);
  const { createdAt } = await publish(app, 'the newest');
  const { status, stdout, stderr } = await runProgram(['wait', `${app.url}/`, '--for', '1s']);
  const expected = [3, '', `No message within 1s. To continue from here: --after ${createdAt}\n`];
  assert.deepEqual([status, stdout, stderr], expected);
});

test('porchlight wait sends the key of the environment, and leaves out what it signed', async (t) => {
  const app = await setUp(t, { limits: NO_LIMITS });
  const post = async (message: string, name: string): Promise<{ id: string }> =>
    (await app.request('POST /api/feed', { body: { message, authorKey: keyFor(name) } })).json;
  const command = runProgram(['wait', app.url], { PORCHLIGHT_AUTHOR_KEY: keyFor('Ann').toLowerCase() });
  await untilWaiting(app, 1);
  await post('of Ann', 'Ann');
  const { id } = await post('of Bob', 'Bob');
  const { status, stdout, stderr } = await command;
  assert.equal(status, 0, stderr);
  const { messages } = JSON.parse(stdout) as { messages: { id: string }[] };
  const ids = messages.map((message) => message.id);
  assert.deepEqual(ids, [id]);
  assert.doesNotMatch(stdout + stderr, /plk/i);
});

test('porchlight wait names the variable of a wrong key, and never shows the key', async () => {
  for (const key of [`${keyFor('Ann')}0`, 'plk-\nX: y', 'a key']) {
    const { status, stdout, stderr } = await runProgram(['wait', 'http://127.0.0.1:9'], {
      PORCHLIGHT_AUTHOR_KEY: key,
    });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^PORCHLIGHT_AUTHOR_KEY must be an author key/m);
    assert.ok(!stderr.includes(key));
  }
});
