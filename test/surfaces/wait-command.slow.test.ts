import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { NO_LIMITS, setUp, type TestApp } from '../support/http/test-app.ts';
import { runProgram } from '../support/product.ts';
import { waitUntil } from '../support/wait-until.ts';

const publish = async (app: TestApp, message: string): Promise<{ id: string; createdAt: string }> =>
  (await app.request('POST /api/feed', { body: { message } })).json;

/** @returns once so many calls wait */
async function untilWaiting({ workspace }: TestApp, count: number): Promise<void> {
  await waitUntil(() => workspace.waiters.size === count);
}

/** A proxy that can cut its connections and refuse new ones. */
async function startCuttableProxy(t: TestContext, port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  let refused = 0;
  const server = createServer((client) => {
    if (isCut) {
      refused += 1;
      client.destroy();
      return;
    }
    const service = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => undefined).on('close', () => open.delete(from));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    refused: () => refused,
    mend: () => {
      isCut = false;
    },
  };
}

test('porchlight wait survives a cut connection and prints what was posted meanwhile', async (t) => {
  const app = await setUp(t, { limits: NO_LIMITS });
  const before = await publish(app, 'before the wait');
  const proxy = await startCuttableProxy(t, Number(new URL(app.url).port));
  const command = runProgram(['wait', proxy.url, '--view', 'preview']);
  await untilWaiting(app, 1);
  proxy.cut();
  await untilWaiting(app, 0);
  const { id, createdAt } = await publish(app, 'RESULT: posted while nobody waits');
  await waitUntil(() => proxy.refused() > 0);
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
  assert.deepEqual(
    [status, stdout, stderr],
    [3, '', `No message within 1s. To continue from here: --after ${createdAt}\n`],
  );
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
  assert.deepEqual(
    messages.map((message) => message.id),
    [id],
  );
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
