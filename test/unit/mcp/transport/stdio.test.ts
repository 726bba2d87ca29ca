import assert from 'node:assert/strict';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import { HANDSHAKE_VERSIONS } from '#mcp/protocol/revisions.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { META_2026 } from '../../../support/mcp/listen-stream.ts';
import { serveOnStreams, type StdioLine } from '../../../support/mcp/stdio-streams.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const callTool = (id: number, name: string, args: object) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Holds every post until `release` is called. @returns `begun` settles once so many are held */
function holdPosts(t: TestContext, { store }: Workspace) {
  let [release, held] = [(): void => undefined, 0];
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { write } = store;
  const writeLater: typeof write = async (lookups, decide) => {
    held += 1;
    await released;
    return write(lookups, decide);
  };
  t.mock.method(store, 'write', writeLater);
  return { release, begun: (count: number) => waitUntil(() => held === count) };
}

test('initialize of any revision loads no SDK, and is answered as SDK v1 answers it', async (t) => {
  for (const protocolVersion of [...HANDSHAKE_VERSIONS, '2026-07-28', 'unknown']) {
    let connections = 0;
    const { send, output, untilLines } = await serveOnStreams(t, {
      change: (sdks) => ({
        ...sdks,
        initializeHandshake: async (...args) => {
          connections += 1;
          return sdks.initializeHandshake(...args);
        },
      }),
    });
    let bytes = '';
    output.on('data', (chunk: Buffer) => (bytes += chunk.toString()));
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion, capabilities: { roots: {} }, clientInfo };
    send({ id: 1, method: 'initialize', params });
    await untilLines(1);
    assert.equal(connections, 0);
    // Only an SDK reads a member that nearly no client sends.
    const withAddress = { ...clientInfo, websiteUrl: 'https://example.org' };
    send({ id: 1, method: 'initialize', params: { ...params, clientInfo: withAddress } });
    await untilLines(2);
    assert.equal(connections, 1);
    const [ours, ofSdk] = bytes.split('\n');
    assert.equal(ours, ofSdk);
  }
});

test('a client that was answered without an SDK subscribes, which needs one', async (t) => {
  const { send, untilLine, lines, close } = await serveOnStreams(t);
  const clientInfo = { name: 'test', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: HANDSHAKE_VERSIONS[0], capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'resources/subscribe', params: { uri: 'porchlight://feed' } });
  await untilLine(({ id }) => id === 2);
  assert.deepEqual(lines.find(({ id }) => id === 2)?.result, {});
  send(callTool(3, 'post_message', { message: 'a message' }));
  await untilLine(({ method }) => method === 'notifications/resources/updated');
  await close();
});

test('a write that is cancelled sends no response', async (t) => {
  const { send, lines, untilLine, close, workspace } = await serveOnStreams(t);
  const { release, begun } = holdPosts(t, workspace);
  send(callTool(1, 'post_message', { message: 'a message' }));
  await begun(1);
  send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  send(callTool(2, 'read_feed', { limit: 1 }));
  await untilLine(({ id }) => id === 2);
  release();
  await close();
  send(callTool(3, 'read_feed', { limit: 1 }));
  await untilLine(({ id }) => id === 3);
  const ids = lines.map(({ id }) => id);
  assert.deepEqual(ids, [2, 3]);
});

test('a write whose id is used again meanwhile has its response too, and a server that ends waits for it', async (t) => {
  const { send, lines, untilLine, close, workspace } = await serveOnStreams(t);
  const { release, begun } = holdPosts(t, workspace);
  send(callTool(1, 'post_message', { message: 'a message' }));
  await begun(1);
  send(callTool(1, 'read_feed', { limit: 1 }));
  await untilLine(({ id }) => id === 1);
  send({ id: 1, method: 'ping' });
  await waitUntil(() => lines.length === 2);
  const closed = close();
  release();
  await closed;
  await waitUntil(() => lines.length === 3);
  const [read, pong, written] = lines.map(({ result }) => result);
  assert.match(read!.content![0]!.text, /"messages"/);
  assert.deepEqual(pong, {});
  assert.match(written!.content![0]!.text, /"id":"post_/);
});

test('a method that is not in the table goes to the SDK, whatever its name', async (t) => {
  const { send, lines, untilLine } = await serveOnStreams(t);
  for (const [id, method] of ['ping', '__proto__', 'constructor', 'tools/dance'].entries())
    send({ id, method });
  await untilLine(({ id }) => id === 3);
  const error = { code: -32601, message: 'There is no such method.' };
  assert.deepEqual(lines, [
    { result: {}, jsonrpc: '2.0', id: 0 },
    ...[1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, error })),
  ]);
});

test('a server that ends waits for no subscription', async (t) => {
  const { lines, output, send, close } = await serveOnStreams(t);
  // The time for open requests never passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const params = {
    notifications: { resourceSubscriptions: ['porchlight://feed'] },
    _meta: META_2026,
  };
  send({ id: 'listen', method: 'subscriptions/listen', params });
  const untilLine = async (isWanted: (line: StdioLine) => boolean): Promise<void> => {
    while (!lines.some(isWanted)) await once(output, 'data');
  };
  await untilLine(({ method }) => method === 'notifications/subscriptions/acknowledged');
  await close();
  await untilLine(({ id, result }) => id === 'listen' && result !== undefined);
});

test('a request whose SDK fails to load gets an error with its id, and a later one is answered', async (t) => {
  const causes: unknown[] = [];
  const missing = new Error('the file is gone');
  let attempts = 0;
  let fail = (): void => undefined;
  const failing = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const { lines, send, untilLine, untilLines } = await serveOnStreams(t, {
    report: ({ cause }) => causes.push(cause),
    change: (sdks) => ({
      ...sdks,
      initializeHandshake: async (...args) => {
        attempts += 1;
        if (attempts === 1) {
          await failing;
          throw missing;
        }
        return sdks.initializeHandshake(...args);
      },
    }),
  });
  for (const id of ['first', 'second']) send({ id, method: 'ping' });
  // No SDK answers this, so by its answer both others wait for the same one.
  send({ id: 'list', method: 'tools/list' });
  await untilLine(({ id }) => id === 'list');
  fail();
  await untilLines(3);
  send({ id: 'third', method: 'ping' });
  await untilLines(4);
  const detail = 'The service failed, not your call; the failure has been logged.';
  const error = { code: -32603, message: detail, data: { code: 'internal', detail } };
  assert.deepEqual(lines.slice(1), [
    { jsonrpc: '2.0', id: 'first', error },
    { jsonrpc: '2.0', id: 'second', error },
    { jsonrpc: '2.0', id: 'third', result: {} },
  ]);
  assert.deepEqual(causes, [missing, missing]);
});
