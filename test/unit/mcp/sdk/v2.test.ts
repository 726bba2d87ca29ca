import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import test from 'node:test';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { createSdkV2HttpHandler } from '#mcp/sdk/v2.ts';
import { createStreamLimit } from '#mcp/transport/http.ts';
import { META_2026 } from '../../../support/mcp/listen-stream.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { sendMcp } from '../../../support/mcp/send.ts';
import { handlersOf } from '../../../support/mcp/handlers.ts';
import { openTestWorkspace } from '../../../support/context.ts';
import {
  BEHIND_PROXY,
  forwardedFor,
  MCP_ACCEPT,
  setUp,
  type TestApp,
} from '../../../support/http/test-app.ts';

const VERSION = '2026-07-28';
/** With a log level only the SDK reads the envelope. */
const UNUSUAL = { ...META_2026, 'io.modelcontextprotocol/logLevel': 'info' };

const send = (app: TestApp, method: string, params = {}, given = {}) =>
  sendMcp(app, { revision: VERSION, id: 7, ...given }, method, params);

const LISTS: [method: string, params: Record<string, unknown>, ttlMs: number][] = [
  ['server/discover', {}, 3_600_000],
  ['tools/list', {}, 3_600_000],
  ['prompts/list', {}, 3_600_000],
  ['resources/list', {}, 3_600_000],
  ['resources/templates/list', {}, 3_600_000],
  ['resources/read', { uri: 'porchlight://feed' }, 1_000],
];

test('lists and resources have a public cache hint and the same bytes at every call, a tool has no hint', async (t) => {
  const app = await setUp(t);
  for (const [method, params, ttlMs] of LISTS) {
    const { json, text } = await send(app, method, params);
    assert.deepEqual([json.result.ttlMs, json.result.cacheScope], [ttlMs, 'public'], method);
    assert.equal((await send(app, method, params)).text, text, method);
  }
  const { result } = (await send(app, 'tools/call', { name: 'read_feed', arguments: {} })).json;
  assert.deepEqual([result.resultType, 'ttlMs' in result], ['complete', false]);
});

test('the discovery document lists the protocol versions that the SDKs serve', async (t) => {
  const { json } = await (await setUp(t)).request('GET /.well-known/porchlight.json');
  assert.deepEqual(json.mcp.protocolVersions, [VERSION, ...SUPPORTED_PROTOCOL_VERSIONS]);
});

test('a Content-Type that REST accepts is accepted', async (t) => {
  const headers = { 'Content-Type': 'application/json;charset="UTF-8", application/json' };
  const { status, json } = await send(await setUp(t), 'nothing', {}, { headers });
  assert.deepEqual([status, json.id, json.error.code], [404, 7, -32601]);
});

test('simultaneous requests with the same id get each its own response', async (t) => {
  const app = await setUp(t);
  const limits = Array.from({ length: 40 }, (_, n) => (n % 4) + 1);
  const responses = await Promise.all(
    limits.map((limit) =>
      send(app, 'tools/call', { name: 'read_feed', arguments: { limit }, _meta: UNUSUAL }, { id: 'same' }),
    ),
  );
  for (const [n, { json }] of responses.entries()) {
    assert.equal(json.id, 'same');
    assert.equal(json.result.structuredContent.messages.length, limits[n]);
  }
});

test('requests with an unusual envelope count against the limits of their own network', async (t) => {
  const app = await setUp(t, { limits: { feedPostsPerHour: 1 } }, BEHIND_PROXY);
  const post = async (address: string): Promise<boolean> => {
    const params = { name: 'post_message', arguments: { message: `from ${address}` }, _meta: UNUSUAL };
    const { json } = await send(app, 'tools/call', params, { headers: forwardedFor(address) });
    return json.result.isError !== true;
  };
  const posted = await Promise.all(['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.2'].map(post));
  assert.deepEqual(posted.filter(Boolean).length, 2);
  assert.deepEqual([await post('192.0.2.3'), await post('192.0.2.3')], [true, false]);
});

test('a client that disconnects before its stream opens counts against no limit', async (t) => {
  const world = await openTestWorkspace({ folder: await temporaryFolder(t) });
  const { workspace, store } = world;
  t.after(() => store.close());
  const handlers = handlersOf(world);
  const acquireStream = createStreamLimit(workspace.waitLimit, 200);
  const sdk = createSdkV2HttpHandler(handlers, { acquireStream, report: () => undefined });
  t.after(() => sdk.close());
  const headers = {
    ...MCP_ACCEPT,
    'content-type': 'application/json',
    'mcp-protocol-version': VERSION,
    'mcp-method': 'subscriptions/listen',
  };
  const message = {
    jsonrpc: '2.0' as const,
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['porchlight://feed'] }, _meta: META_2026 },
  };
  const listen = (onClose: (close: () => void) => void) =>
    sdk.validate(message, {
      request: { method: 'POST', url: '/mcp', headers } as unknown as IncomingMessage,
      response: {
        once: (_: string, close: () => void) => onClose(close),
        writableEnded: false,
      } as unknown as ServerResponse,
      caller: { clientKey: '192.0.2.1' },
      headers: {},
      mayStream: true,
    });
  for (let n = 0; n < 60; n++) await listen((close) => close()).catch(() => undefined);
  let disconnect = (): void => undefined;
  const validated = await listen((close) => {
    disconnect = close;
  });
  assert.equal(validated !== undefined && 'response' in validated && validated.response.status, 200);
  disconnect();
});
