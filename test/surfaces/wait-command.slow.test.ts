import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { keyFor } from '../support/author-key.ts';
import { listen } from '../support/http/listen.ts';
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

const JSON_TYPE = { 'Content-Type': 'application/json' };
const OUTLINE = '{"nextAfter":"2026-03-01T00:00:00.000001Z","more":false,"messages":[]}';

/** Runs the command against a service that answers every request so. */
async function waitFor(t: TestContext, answer: (response: ServerResponse) => void, ...flags: string[]) {
  const server = createServer((_, response) => {
    response.on('error', () => undefined);
    answer(response);
  });
  const url = await listen(t, server);
  const startedAt = performance.now();
  const result = await runProgram(['wait', url, ...flags]);
  return { ...result, seconds: (performance.now() - startedAt) / 1000 };
}

test('porchlight wait ends at an answer of 64 MiB in compressed form', async (t) => {
  const bytes = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '), { level: 1 });
  const { status, stderr } = await waitFor(t, (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(bytes);
  });
  assert.equal(status, 1);
  assert.match(stderr, /^The response is longer than any response of this service\. .+\n$/);
});

const ENDLESS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'never answers': () => undefined,
  'sends blanks for ever': (response) => {
    response.writeHead(200, JSON_TYPE).write(OUTLINE);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => {
      clearInterval(timer);
    });
  },
};

for (const [name, answer] of Object.entries(ENDLESS))
  test(`porchlight wait ends after --for where a service ${name}`, async (t) => {
    const { status, stdout, stderr, seconds } = await waitFor(t, answer, '--for', '2s');
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(
      stderr,
      /(?:^Nothing responds at this URL|^No call succeeded within 2s) \(no complete response in time\)\. .+\n$/m,
    );
    assert.ok(seconds >= 2 && seconds < 12, `${seconds} s`);
  });

test('porchlight wait prints a message of 500,000 brackets, which a pipe does not take at once', async (t) => {
  const brackets = '['.repeat(500_000) + ']'.repeat(500_000);
  const answer = OUTLINE.replace('[]', `[{"message":${brackets}}]`);
  const { status, stdout, stderr } = await waitFor(t, (response) => {
    response.writeHead(200, JSON_TYPE).end(answer);
  });
  assert.deepEqual([status, stdout === `${answer}\n`, stderr], [0, true, '']);
});
