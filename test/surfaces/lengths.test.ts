import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as z from 'zod';
import { createRequestHandler } from '#http/request-handler.ts';
import type { Route } from '#http/responses/reply.ts';
import { Message } from '#mcp/protocol/json-rpc.ts';
import { Settings } from '#settings/config.ts';
import { loadTools } from '#tools/load.ts';
import { IDEA, MCP_ACCEPT, NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { firstOf } from '../support/thorough.ts';

/** Longer than the longest text that any field takes. */
const LONG = 100_001;

/** Texts of many forms, since a field may take one form only. */
const LONG_TEXTS = [
  ...['a', '1', '0', ' ', '-', 'a,', 'a b ', 'a\n', '10.0.0.0/8,'].map((part) => part.repeat(LONG)),
  ...['post_', '/', 'https://example.org/', 'postgres://example.org/', 'plk-'].map(
    (begin) => begin + '0'.repeat(LONG),
  ),
  `2026-01-31T09:30:00.${'0'.repeat(LONG)}Z`,
];

/** Members of a message that nothing reads. */
const UNREAD = ['error.data'];

/** Types that hold no text. */
const WITHOUT_TEXT = ['enum', 'literal', 'number', 'boolean', 'void', 'undefined', 'null'];

/** @returns the paths of the texts in a schema that take a long one */
function findUnbounded(schema: unknown, path: string): string[] {
  const type = schema as z.ZodType;
  const def = type._zod.def as unknown as { type: string } & Record<string, unknown>;
  const inner = (one: unknown, name = ''): string[] =>
    findUnbounded(one, name === '' ? path : `${path}.${name}`);
  if (def.type === 'string' || def.type === 'unknown') {
    if (UNREAD.some((name) => path.endsWith(name))) return [];
    const taken = LONG_TEXTS.find((text) => type.safeParse(text).success);
    return taken === undefined ? [] : [`${path} takes ${taken.slice(0, 25)}…`];
  }
  if (def.type === 'object')
    return Object.entries(def['shape'] as object).flatMap(([name, one]) => inner(one, name));
  if (def.type === 'union') return (def['options'] as unknown[]).flatMap((one) => inner(one));
  if (def.type === 'array') return inner(def['element'], '0');
  if (def.type === 'pipe') {
    const [from, to] = [def['in'], def['out']] as z.ZodType[];
    // A preprocessor takes everything, and the schema behind it judges that.
    return inner(from!._zod.def.type === 'transform' ? to : from);
  }
  if ('innerType' in def) return inner(def['innerType']);
  return WITHOUT_TEXT.includes(def.type) ? [] : [`${path} has the unknown type ${def.type}`];
}

test('each text in the envelope of an MCP message has a length, over HTTP and stdio', () => {
  assert.deepEqual(findUnbounded(Message, 'message'), []);
});

test('each text in the arguments of a tool has a length, reports too', async () => {
  const unbounded = (await loadTools()).flatMap(({ name, input }) => findUnbounded(input, name));
  assert.deepEqual(unbounded, []);
});

test('each setting has a length', () => {
  assert.deepEqual(findUnbounded(Settings, 'settings'), []);
});

/** What no response repeats, as a header of 8 KB may hold it. */
const UNREPEATED = 'Zq9'.repeat(2_000);
const REPEATED = UNREPEATED.slice(0, 300);

let routes: readonly Route[] = [];
const app = await setUp({ after }, { limits: NO_LIMITS }, {}, (options) => {
  const door = createRequestHandler(options);
  ({ routes } = door);
  return door.listener;
});

const META = {
  progressToken: 'p',
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0', title: 'A test' },
  'io.modelcontextprotocol/clientCapabilities': { roots: { some: 'x' } },
  'io.modelcontextprotocol/logLevel': 'info',
  'io.modelcontextprotocol/related-task': { taskId: 'a' },
};

const clientInfo = { name: 'a test', version: '1.0.0' };

const CALLS: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ['server/discover', {}],
  ['resources/read', { uri: 'porchlight://posts/x' }],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }],
  ['ping', {}],
  ['tools/list', { cursor: 'x' }],
  ['tools/call', { name: 'read_feed', arguments: { q: 'x', before: 'x', colour: 'x', prefix: 'IDEA' } }],
  ['tools/call', { name: 'post_message', arguments: { message: 'x', name: 'x', replyTo: 'x', colour: 'x' } }],
  ['resources/subscribe', { uri: 'porchlight://feed' }],
  ['subscriptions/listen', { notifications: { resourceSubscriptions: ['porchlight://x'] } }],
  ['prompts/get', { name: 'work', arguments: { postId: 'x' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'work' }, argument: { name: 'postId', value: 'x' } },
  ],
  ['logging/setLevel', { level: 'x' }],
  ['unknown/method', { uri: 'x' }],
  ['notifications/cancelled', { requestId: 'x', reason: 'x' }],
];

/** @yields copies of a value, in each of which another text is too long */
function* lengthen(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield UNREPEATED;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    for (const longer of lengthen(inner))
      yield Array.isArray(value) ? [longer] : { ...value, [name]: longer };
}

const MCP_HEADERS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-Id'];

for (const [revision, meta] of [
  ['up to 2025-11-25', undefined],
  ['of 2026-07-28', META],
] as const)
  test(`no response to a message ${revision} repeats a long text of it`, async () => {
    for (const [method, params] of firstOf(CALLS, 3)) {
      const message = {
        jsonrpc: '2.0',
        id: 'i',
        method,
        params: { ...params, ...(meta && { _meta: meta }) },
      };
      const standard: Record<string, string> =
        meta === undefined
          ? {}
          : {
              'Mcp-Protocol-Version': '2026-07-28',
              'Mcp-Method': method,
              ...(typeof params['name'] === 'string' && { 'Mcp-Name': params['name'] }),
            };
      const send = async (body: unknown, headers: Record<string, string>): Promise<void> => {
        const sent = { headers: { ...MCP_ACCEPT, ...headers }, body: body as object };
        const response = await app.request('POST /mcp', sent);
        const whole = response.body + JSON.stringify(response.headers);
        assert.equal(whole.includes(REPEATED), false, `${method} ${whole.slice(0, 200)}`);
      };
      for (const body of lengthen(message)) for (const headers of [{}, standard]) await send(body, headers);
      for (const name of MCP_HEADERS) await send(message, { ...standard, [name]: UNREPEATED });
    }
  });

/** Names of parameters of all tools, documents and pages. */
const PARAMETERS = ['q', 'any', 'name', 'before', 'after', 'id', 'viewer', 'view', 'posts', 'standing', 'x'];

test('no response to a read repeats a long text of its address or headers', async () => {
  for (const { path } of routes.filter(({ method }) => method === 'GET')) {
    const own = path.replace('{postId}', IDEA).replace(/\{\w+\}/, 'x');
    const long = path.replace(/\{\w+\}/, UNREPEATED);
    const addresses = [long, ...firstOf(PARAMETERS, 2).map((name) => `${own}?${name}=${UNREPEATED}`)];
    for (const address of addresses) {
      const { body, headers, status } = await app.request(`GET ${address}`, {
        headers: { Accept: UNREPEATED },
      });
      // A redirect keeps the query of an address, which has 8,000 characters at most.
      if (status === 301 || status === 302 || status === 308) continue;
      assert.equal((body + JSON.stringify(headers)).includes(REPEATED), false, address.slice(0, 60));
    }
  }
});

const KEPT = {
  'subscriptions/listen': { notifications: { resourceSubscriptions: ['porchlight://feed'] }, _meta: META },
  'tools/call': { name: 'wait_for_messages', arguments: { seconds: 240 } },
};

for (const [method, params] of Object.entries(KEPT))
  test(`a ${method} that waits is refused if it is longer than 32,000 characters, since it is kept`, async () => {
    const { json } = await app.rpc(method, { ...params, unknown: 'x'.repeat(32_000) });
    assert.equal(json.id, 1);
    assert.equal(json.error.code, -32600);
    assert.match(json.error.message, /^A waiting call may have at most 32000 characters; /);
  });

test('a tools/call that waits is refused with a long Mcp- header, since it is kept too', async () => {
  const { status, json } = await app.rpc('tools/call', KEPT['tools/call'], { 'Mcp-Name': 'x'.repeat(257) });
  assert.equal(status, 400);
  assert.equal(json.error.message, 'An Mcp- header may have at most 256 characters.');
});

const ID = 'i'.repeat(256);

/** The members of a message that are kept or repeated as an id is. */
const WITH_ID: Readonly<Record<string, (id: string) => object>> = {
  'an id': (id) => ({ id, method: 'ping' }),
  'a progressToken': (progressToken) => ({ id: 1, method: 'ping', params: { _meta: { progressToken } } }),
  'a requestId of a cancellation': (requestId) => ({
    method: 'notifications/cancelled',
    params: { requestId },
  }),
};

for (const [what, create] of Object.entries(WITH_ID))
  test(`${what} has at most 256 characters`, async () => {
    const send = (id: string) =>
      app.request('POST /mcp', { headers: MCP_ACCEPT, body: { jsonrpc: '2.0', ...create(id) } });
    assert.ok([200, 202].includes((await send(ID)).status));
    const { status, json } = await send(`${ID}i`);
    assert.deepEqual([status, json.error.code, json.id], [400, -32600, null]);
  });
