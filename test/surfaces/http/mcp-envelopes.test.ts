import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { META_2026 } from '../../support/mcp/listen-stream.ts';
import { withoutDate } from '../../support/mcp/send.ts';
import { createSdkOracle } from '../../support/mcp/sdk-oracle.ts';
import { IDEA, MCP_ACCEPT, NO_LIMITS, PROJECT, setUp, type TestApp } from '../../support/http/test-app.ts';
import type { HttpResponse } from '../../support/http/send-request.ts';
import { IS_THOROUGH } from '../../support/thorough.ts';

type Members = Readonly<Record<string, unknown>>;

/** How a message is sent, apart from its method and parameters. */
interface Envelope {
  readonly id?: unknown;
  readonly headers?: (method: string, params: Members) => Readonly<Record<string, string>>;
  readonly meta?: Members;
  /** Members of `params` besides those of the method. */
  readonly params?: Members;
}

const REVISION = '2026-07-28';
const TASK = { 'io.modelcontextprotocol/related-task': { taskId: 'a' } };

const nameIn = (params: Members): string | undefined => {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' && /^[!-~]+$/.test(name) ? name : undefined;
};

const HEADERS = (method: string, params: Members): Readonly<Record<string, string>> => {
  const name = nameIn(params);
  return {
    'Mcp-Protocol-Version': REVISION,
    'Mcp-Method': method,
    ...(name !== undefined && { 'Mcp-Name': name }),
  };
};

const withCapabilities = (capabilities: Members): Members => ({
  ...META_2026,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

const ENVELOPES: Readonly<Record<string, Envelope>> = {
  'of 2025': {},
  'of 2025 with the version header': { headers: () => ({ 'Mcp-Protocol-Version': '2025-06-18' }), id: 'a' },
  'of 2025 with a progress token': { meta: { progressToken: 'p' }, id: -0 },
  'of 2025 of a task': { meta: TASK, params: { task: { ttl: 1 } } },
  'of 2025 with unknown members': { meta: { 'io.modelcontextprotocol/x': 1, y: 2 }, params: { z: 3 } },
  'of 2025 with an Origin': { headers: () => ({ Origin: 'http://localhost' }) },
  'of 2026': { meta: META_2026, headers: HEADERS },
  'of 2026 with a progress token': { meta: { ...META_2026, progressToken: 5 }, headers: HEADERS, id: 'b' },
  'of 2026 with a log level': {
    meta: { ...META_2026, 'io.modelcontextprotocol/logLevel': 'info' },
    headers: HEADERS,
  },
  'of 2026 with a capability': { meta: withCapabilities({ elicitation: { form: {} } }), headers: HEADERS },
  'of 2026 without the name of the client': {
    meta: { ...META_2026, 'io.modelcontextprotocol/clientInfo': undefined },
    headers: HEADERS,
  },
  'of 2026 with answers of the user': {
    meta: META_2026,
    headers: HEADERS,
    params: { requestState: 'x', inputResponses: { a: { action: 'accept' }, b: 5 } },
  },
  'of 2026 with an encoded name': {
    meta: META_2026,
    headers: (method, params) => {
      const name = nameIn(params);
      const encoded = `=?base64?${Buffer.from(name ?? '').toString('base64')}?=`;
      return { ...HEADERS(method, params), ...(name !== undefined && { 'Mcp-Name': encoded }) };
    },
  },
  'of 2026 with an Origin': {
    meta: META_2026,
    headers: (...call) => ({ ...HEADERS(...call), Origin: 'http://localhost' }),
  },
  'of 2026 without a header': { meta: META_2026, headers: () => ({ 'Mcp-Protocol-Version': REVISION }) },
  'of 2026 with headers of another call': {
    meta: META_2026,
    headers: () => ({
      'Mcp-Protocol-Version': REVISION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'sign_guestbook',
    }),
  },
  'of 2026 with a malformed capability': { meta: withCapabilities({ roots: 5 }), headers: HEADERS },
  'of 2026 with a malformed experiment': {
    meta: withCapabilities({ experimental: { listChanged: true } }),
    headers: HEADERS,
  },
  'of 2026 by its header only': { headers: HEADERS },
  'of a later revision': {
    meta: { ...META_2026, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    headers: (...call) => ({ ...HEADERS(...call), 'Mcp-Protocol-Version': '2099-01-01' }),
  },
};

const CLIENT = { name: 'a test', version: '1.0.0' };
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
const call = (name: string, args?: unknown): [string, Members] => ['tools/call', { name, arguments: args }];

/** Methods with parameters that succeed and that fail; the fuzzer sends those without any in each envelope. */
const MESSAGES: readonly (readonly [method: string, params: Members])[] = [
  ['initialize', INITIALIZE],
  [
    'initialize',
    { ...INITIALIZE, protocolVersion: '2024-11-05', capabilities: { roots: { listChanged: true } } },
  ],
  [
    'initialize',
    { ...INITIALIZE, protocolVersion: '1999-01-01', clientInfo: { ...CLIENT, title: 'A test' } },
  ],
  ['initialize', { ...INITIALIZE, capabilities: { elicitation: { form: {} }, tasks: { list: {} } } }],
  ['initialize', { ...INITIALIZE, capabilities: { sampling: 5 } }],
  ['initialize', { ...INITIALIZE, capabilities: { experimental: { listChanged: true } } }],
  ['initialize', { ...INITIALIZE, capabilities: { roots: { listChanged: 5 } } }],
  ['initialize', { ...INITIALIZE, capabilities: { sampling: { listChanged: 5 }, x: {}, elicitation: {} } }],
  ['initialize', { ...INITIALIZE, clientInfo: { ...CLIENT, websiteUrl: 'http://a.example', icons: [] } }],
  ['initialize', { ...INITIALIZE, protocolVersion: 5 }],
  ['tools/list', {}],
  ['tools/list', { cursor: 'x' }],
  ['tools/list', { cursor: null }],
  call('read_feed', {}),
  call('read_feed'),
  call('read_feed', null),
  call('read_feed', 5),
  call('read_feed', { limit: 'many' }),
  call('read_thread', { postId: IDEA }),
  call('read_thread', { postId: 'post_x' }),
  call('list_projects', {}),
  call('wait_for_messages', { waitSeconds: 0, after: '2026-03-01T00:00:00Z' }),
  call('find_work', {}),
  call('post_message', { message: 'a message', idempotencyKey: 'an-idempotency-key' }),
  call('post_message', { message: '' }),
  call('post_message', 'x'),
  call('sign_guestbook', { name: 'a', note: 'b' }),
  call('nothing', {}),
  call('__proto__', {}),
  ['tools/call', { name: 5 }],
  ['tools/call', {}],
  ['resources/read', { uri: 'porchlight://feed' }],
  ['resources/read', { uri: `porchlight://projects/${PROJECT}` }],
  ['resources/read', { uri: 'porchlight://posts/post_x' }],
  ['resources/read', { uri: 'porchlight://nothing' }],
  ['resources/read', { uri: 5 }],
  ['resources/subscribe', { uri: 'porchlight://feed' }],
  ['prompts/get', { name: 'idea' }],
  ['prompts/get', { name: 'result', arguments: { postId: IDEA } }],
  ['prompts/get', { name: 'result', arguments: { postId: 'post_x' } }],
  ['prompts/get', { name: 'nothing' }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'porchlight://posts/{postId}' },
      argument: { name: 'postId', value: 'post_' },
    },
  ],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'idea' }, argument: { name: 'x', value: '' } }],
  ['completion/complete', { argument: 5 }],
  ['server/discover', {}],
  ['constructor', {}],
  ['__proto__', {}],
  ['tools/dance', {}],
];

const NOTIFICATIONS: readonly (readonly [method: string, params: Members])[] = [
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1 }],
  ['notifications/nothing', {}],
];

async function send(
  { request }: TestApp,
  path: string,
  [method, params]: readonly [string, Members],
  { id = 7, headers, meta, params: more }: Envelope,
): Promise<HttpResponse> {
  return request(`POST ${path}`, {
    headers: { ...MCP_ACCEPT, ...headers?.(method, params) },
    body: {
      jsonrpc: '2.0',
      ...(!method.startsWith('notifications/') && { id }),
      method,
      params: { ...params, ...more, ...(meta && { _meta: meta }) },
    },
  });
}

/** Two services with equal records, ids and clocks: one as it is, and one where an SDK answers every message. */
const pair: readonly TestApp[] = [
  await setUp({ after }, { limits: NO_LIMITS }),
  await setUp({ after }, { limits: NO_LIMITS }, { createMcp: createSdkOracle }),
];

const EVERY = [...MESSAGES, ...NOTIFICATIONS];
const METHODS = [
  'initialize',
  'tools/list',
  'tools/call',
  'resources/read',
  'prompts/get',
  'server/discover',
];
/** What `npm test` sends in the envelopes that few clients send, and to the small endpoint. */
const FEW = [
  ...METHODS.map((method) => MESSAGES.find(([name]) => name === method)!),
  call('read_thread', { postId: 'post_x' }),
  NOTIFICATIONS[0]!,
];

function productOf(name: string): [path: string, messages: typeof MESSAGES][] {
  const isUsual = name === 'of 2025' || name === 'of 2026';
  if (!IS_THOROUGH && !isUsual) return [['/mcp', FEW]];
  return [
    ['/mcp', EVERY],
    ['/mcp/core', IS_THOROUGH ? EVERY : FEW],
  ];
}

for (const [name, envelope] of Object.entries(ENVELOPES))
  test(`a message ${name} has the status, headers and bytes of the SDK, whatever its method`, async () => {
    // The second response may come from a cache.
    for (const [path, messages] of productOf(name))
      for (const message of messages)
        for (const turn of ['first', 'second']) {
          const [ours, oracle] = await Promise.all(pair.map((app) => send(app, path, message, envelope)));
          const what = `${turn} ${path} ${JSON.stringify(message)}`;
          assert.deepEqual(withoutDate(ours!), withoutDate(oracle!), what);
        }
  });

test('params may be absent from a message', async () => {
  for (const method of [
    'ping',
    'tools/list',
    'tools/call',
    'resources/read',
    'initialize',
    'completion/complete',
  ]) {
    const body = { jsonrpc: '2.0', id: 1, method };
    const [ours, oracle] = await Promise.all(
      pair.map(({ request }) => request('POST /mcp', { headers: MCP_ACCEPT, body })),
    );
    assert.deepEqual(withoutDate(ours!), withoutDate(oracle!), method);
  }
});
