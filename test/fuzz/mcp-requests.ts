import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { POST_IDS, PROJECT_IDS, UNKNOWN_IDS } from './corpus.ts';
import { JSON_BODY, MCP_ACCEPT, OWN_HOST, type Header } from './headers.ts';
import { hostileText } from './hostile.ts';
import type { HttpRequest } from './http-request.ts';
import { argumentsFor } from './values.ts';

type Params = Readonly<Record<string, unknown>>;

const REVISION = '2026-07-28';

/** `params._meta` of every request of revision 2026-07-28. */
const CLIENT_META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The parameter that the Mcp-Name header repeats, by method. */
const NAMED_PARAMS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The method whose response is a stream. */
const STREAM_METHOD = 'subscriptions/listen';

const uri = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('feed', 'start', 'protocol', 'guestbook', 'projects')
      .map((name) => `porchlight://${name}`),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...POST_IDS, ...UNKNOWN_IDS).map((id) => `porchlight://posts/${id}`),
  },
  { weight: 2, arbitrary: fc.constantFrom(...PROJECT_IDS).map((id) => `porchlight://projects/${id}`) },
  { weight: 1, arbitrary: hostileText.map((text) => `porchlight://${text}`) },
  { weight: 1, arbitrary: fc.webUrl() },
);

/** The methods of the protocol apart from `tools/call`, with their parameters. */
const METHODS: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  initialize: {
    protocolVersion: fc.constantFrom('2025-11-25', '2025-06-18', '2024-11-05', REVISION, '1999-01-01'),
    capabilities: fc.constantFrom({}, { roots: {} }, { sampling: {}, tasks: {} }),
    clientInfo: fc.constantFrom({ name: 'fuzz', version: '1' }, {}),
  },
  ping: {},
  'tools/list': {},
  'resources/list': {},
  'resources/templates/list': {},
  'prompts/list': {},
  'resources/read': { uri },
  'resources/subscribe': { uri },
  'prompts/get': { name: fc.constantFrom('idea', 'work', 'result', 'review', 'change', '__proto__') },
  'completion/complete': {
    ref: fc.constantFrom(
      { type: 'ref/resource', uri: 'porchlight://posts/{postId}' },
      { type: 'ref/prompt', name: 'idea' },
    ),
    argument: fc.record({ name: fc.constantFrom('postId', 'projectId', 'constructor'), value: hostileText }),
  },
  'logging/setLevel': { level: fc.constantFrom('debug', 'x') },
  'server/discover': {},
  [STREAM_METHOD]: {
    notifications: fc.record({ resourceSubscriptions: fc.array(uri, { minLength: 1, maxLength: 3 }) }),
  },
  'tasks/get': { taskId: fc.constantFrom('x', '__proto__') },
  'tasks/list': {},
  'sampling/createMessage': {},
  'notifications/initialized': {},
  'notifications/cancelled': { requestId: fc.constantFrom(1, 'a', null), reason: hostileText },
  'notifications/progress': { progressToken: fc.constantFrom(1, 'a'), progress: fc.double() },
};

const requestId = fc.oneof(
  { weight: 6, arbitrary: fc.constant<unknown>(1) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('', '1', 1.5, null, {}) },
  { weight: 1, arbitrary: fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true }), hostileText) },
);

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** `_meta` of a request of either revision: usual, unusual and malformed. */
const requestMeta = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 8, arbitrary: fc.constant<Params>(CLIENT_META) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Params>(
      { ...CLIENT_META, 'io.modelcontextprotocol/logLevel': 'info' },
      { ...CLIENT_META, [CAPABILITIES]: { elicitation: { form: {} }, roots: {} } },
      { ...CLIENT_META, [CAPABILITIES]: { roots: 5 } },
      { [VERSION]: REVISION, [CAPABILITIES]: {} },
      { 'io.modelcontextprotocol/related-task': { taskId: 'a' } },
      { 'io.modelcontextprotocol/unknown': true, progressToken: 'a' },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Params>(
      { ...CLIENT_META, [VERSION]: '2099-01-01' },
      { [VERSION]: REVISION },
      { progressToken: 1 },
    ),
  },
);

/** Members of `params` that only an SDK reads. */
const requestParams = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Params>({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Params>(
      { task: { ttl: 1 } },
      { requestState: 'a', inputResponses: { b: 5 } },
      { cursor: null },
    ),
  },
);

/** The headers of revision 2026-07-28, which repeat the message. */
function standardHeaders(method: string, params: Params): Header[] {
  const name = params[NAMED_PARAMS[method] ?? ''];
  const isPrintable = typeof name === 'string' && /^[!-~]*$/.test(name);
  return [
    ['Mcp-Protocol-Version', REVISION],
    ['Mcp-Method', method],
    ...(name === undefined ? [] : [['Mcp-Name', isPrintable ? name : 'x'] as const]),
  ];
}

function toMcpRequest(method: string, params: Params, id: unknown, meta: Params | undefined): HttpRequest {
  const message = {
    jsonrpc: '2.0',
    ...(!method.startsWith('notifications/') && { id }),
    method,
    params: { ...params, _meta: meta },
  };
  return {
    method: 'POST',
    target: '/mcp',
    headers: [
      OWN_HOST,
      JSON_BODY,
      MCP_ACCEPT,
      ...(meta?.[VERSION] === REVISION ? standardHeaders(method, params) : []),
    ],
    body: Buffer.from(JSON.stringify(message)),
  };
}

/** Messages of both revisions to every tool and every method. @param streams whether to include the one that is a stream */
export function mcpRequests(
  tools: readonly AnyTool[],
  { streams }: { streams: boolean },
): fc.Arbitrary<HttpRequest> {
  const calls = tools.map((tool) => ({
    weight: 3,
    method: 'tools/call',
    params: fc.record<Params>({ name: fc.constant(tool.name), arguments: argumentsFor(tool) }),
  }));
  const others = Object.entries(METHODS)
    .filter(([method]) => streams || method !== STREAM_METHOD)
    .map(([method, params]) => ({
      weight: method === 'resources/read' ? 6 : 1,
      method,
      params: fc.record<Params>(params),
    }));
  return fc.oneof(
    ...[...calls, ...others].map(({ weight, method, params }) => ({
      weight,
      arbitrary: fc
        .tuple(params, requestParams, requestId, requestMeta, fc.constantFrom('/mcp', '/mcp/core'))
        .map(([members, more, id, meta, target]) => ({
          ...toMcpRequest(method, { ...members, ...more }, id, meta),
          target,
        })),
    })),
  );
}
