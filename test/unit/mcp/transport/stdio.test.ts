import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { createMcpHandlers } from '#mcp/handlers/handlers.ts';
import { serveStdio, type StdioSdks } from '#mcp/transport/stdio.ts';
import { createStdioSdks } from '#server/mcp-sdks.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import type { Workspace } from '#workspace/workspace.ts';

interface Line {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

async function serve(t: TestContext) {
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const handlers = createMcpHandlers({ tools, workspace, results, report: () => undefined });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: Line[] = [];
  createInterface({ input: output }).on('line', (line) => lines.push(JSON.parse(line) as Line));
  const { close } = serveStdio(handlers, createStdioSdks(handlers), () => undefined, input, output);
  return {
    workspace,
    lines,
    close,
    send: (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    untilLine: (isWanted: (line: Line) => boolean) => waitUntil(() => lines.some(isWanted)),
  };
}

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

test('a write that is cancelled sends no response', async (t) => {
  const { send, lines, untilLine, close, workspace } = await serve(t);
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
  assert.deepEqual(
    lines.map(({ id }) => id),
    [2, 3],
  );
});

test('a write whose id is used again meanwhile has its response too, and a server that ends waits for it', async (t) => {
  const { send, lines, untilLine, close, workspace } = await serve(t);
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
  const { send, lines, untilLine } = await serve(t);
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
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  // The time for open requests never passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const handlers = createMcpHandlers({ tools, workspace, results, report: () => undefined });
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
  let sent = '';
  output.on('data', (text: string) => {
    sent += text;
  });
  const { close } = serveStdio(handlers, createStdioSdks(handlers), () => undefined, input, output);
  const params = {
    notifications: { resourceSubscriptions: ['porchlight://feed'] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const listen = { jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params };
  input.write(`${JSON.stringify(listen)}\n`);
  while (!sent.includes('notifications/subscriptions/acknowledged')) await once(output, 'data');
  await close();
  while (!sent.includes('"id":"listen","result":')) await once(output, 'data');
});

test('a request whose SDK fails to load gets an error with its id, and a later one is answered', async (t) => {
  const { tools, workspace, store } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const causes: unknown[] = [];
  const handlers = createMcpHandlers({
    tools,
    workspace,
    results,
    report: ({ cause }) => causes.push(cause),
  });
  const sdks = createStdioSdks(handlers);
  const missing = new Error('the file is gone');
  let attempts = 0;
  const initializeHandshake: StdioSdks['initializeHandshake'] = async (...args) => {
    attempts += 1;
    if (attempts === 1) throw missing;
    return sdks.initializeHandshake(...args);
  };
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: object[] = [];
  createInterface({ input: output }).on('line', (line) => lines.push(JSON.parse(line) as object));
  const { close } = serveStdio(handlers, { ...sdks, initializeHandshake }, () => undefined, input, output);
  const ping = (id: string): void => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
  };
  ping('first');
  ping('second');
  await waitUntil(() => lines.length === 2);
  ping('third');
  await waitUntil(() => lines.length === 3);
  const detail = 'The service failed, not your call; the failure has been logged.';
  const error = { code: -32603, message: detail, data: { code: 'internal', detail } };
  assert.deepEqual(lines, [
    { jsonrpc: '2.0', id: 'first', error },
    { jsonrpc: '2.0', id: 'second', error },
    { jsonrpc: '2.0', id: 'third', result: {} },
  ]);
  assert.deepEqual(causes, [missing, missing]);
  await close();
});
