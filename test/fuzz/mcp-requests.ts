import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { misencoded, mutated, strangeBody } from './bytes.ts';
import { NUMBERS } from './corpus.ts';
import { headersWith, JSON_BODY, MCP_ACCEPT, OWN_HOST } from './headers.ts';
import { mutatedFields } from './json-tree.ts';
import { mcpMessages } from './mcp-messages.ts';
import { METHODS, none, type Params } from './mcp-methods.ts';
import type { HttpRequest } from './requests.ts';
import { hostileText } from './texts.ts';
import { createPromptCheck } from './waiting-calls.ts';
import { argumentsFor, toWrittenJson, changed, hostileValue, writeObject, type Members } from './values.ts';

const VERSION_META = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_META = {
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const EXTRA_PARAMS: Members = [
  ['_meta', { [VERSION_META]: '2026-07-28', ...CLIENT_META }],
  ['_meta', { [VERSION_META]: '2026-07-28', ...CLIENT_META }],
  ['_meta', { [VERSION_META]: '2026-07-28' }],
  ['_meta', { [VERSION_META]: '2099-01-01', ...CLIENT_META }],
  ['_meta', { [VERSION_META]: 5, ...CLIENT_META }],
  ['_meta', { progressToken: 1 }],
  ['_meta', { progressToken: {} }],
  ['_meta', []],
  ['task', { ttl: 1000 }],
  ['task', {}],
  ['cursor', ''],
  ['cursor', null],
  ['_meta', { 'io.modelcontextprotocol/related-task': { taskId: 'x' } }],
  ['__proto__', { name: 'read_feed' }],
];

const withExtraParams = (params: Params): Params =>
  fc
    .tuple(
      changed(params),
      fc.oneof(
        { weight: 6, arbitrary: none },
        { weight: 1, arbitrary: fc.constantFrom(...EXTRA_PARAMS).map((extra) => [extra]) },
      ),
    )
    .map(([members, extra]) => [...members, ...extra]);

interface MethodCall {
  method: string;
  params: unknown;
}

const UNKNOWN_METHODS = [
  '__proto__',
  'constructor',
  'toString',
  'tools',
  'tools/',
  'TOOLS/LIST',
  'rpc.discover',
  '',
  'tools/call\0',
  'notifications/',
];

const methodCalls = (tools: readonly AnyTool[]): fc.Arbitrary<MethodCall> =>
  fc.oneof(
    ...tools.map((tool) => ({
      weight: 4,
      arbitrary: withExtraParams(
        argumentsFor(tool).map(
          (args): Members => [
            ['name', tool.name],
            ['arguments', toWrittenJson(args)],
          ],
        ),
      ).map((params): MethodCall => ({ method: 'tools/call', params: toWrittenJson(params) })),
    })),
    ...Object.entries(METHODS).map(([method, params]) => ({
      weight: method.includes('/read') ? 4 : 1,
      arbitrary: withExtraParams(params).map(
        (members): MethodCall => ({ method, params: toWrittenJson(members) }),
      ),
    })),
    {
      weight: 2,
      arbitrary: fc.record({
        method: fc.oneof(fc.constantFrom(...UNKNOWN_METHODS, ...Object.keys(METHODS)), hostileText),
        params: hostileValue,
      }),
    },
  );

const id = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom<unknown>(1, 2, 'a') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, '', ...NUMBERS, true, {}, [1]) },
  { weight: 1, arbitrary: hostileText },
);

const messages = (tools: readonly AnyTool[]): fc.Arbitrary<string> => {
  const request = fc
    .tuple(methodCalls(tools), id)
    .map(
      ([{ method, params }, requestId]): Members => [
        ['jsonrpc', '2.0'],
        ...(method.startsWith('notifications/') ? [] : [['id', requestId] as const]),
        ['method', method],
        ['params', params],
      ],
    );
  const response = fc.constantFrom<Members>(
    [
      ['jsonrpc', '2.0'],
      ['id', 1],
      ['result', {}],
    ],
    [
      ['jsonrpc', '2.0'],
      ['id', 1],
      ['error', { code: 1, message: 'no' }],
    ],
  );
  const messages = fc.oneof({ weight: 20, arbitrary: request }, { weight: 1, arbitrary: response });
  return fc
    .oneof({ weight: 5, arbitrary: messages }, { weight: 1, arbitrary: changed(messages) })
    .map(writeObject);
};

/** Bodies that are one JSON-RPC message, or almost are. */
export function rpcBodies(tools: readonly AnyTool[]): fc.Arbitrary<Buffer> {
  const text = messages(tools);
  const bytes = text.map((json) => Buffer.from(json));
  const hostile = mutatedFields(mcpMessages(tools, { streams: true }).map(({ json }) => json));
  const bodies = fc.oneof(
    { weight: 24, arbitrary: bytes },
    { weight: 24, arbitrary: hostile.map((json) => Buffer.from(json)) },
    { weight: 4, arbitrary: mutated(bytes) },
    { weight: 1, arbitrary: misencoded(text) },
    {
      weight: 1,
      arbitrary: fc.array(text, { maxLength: 3 }).map((batch) => Buffer.from(`[${batch.join(',')}]`)),
    },
    { weight: 2, arbitrary: strangeBody },
  );
  return bodies.filter(createPromptCheck(tools));
}

const ENDPOINT = fc.constantFrom('/mcp', '/mcp/core');

/** HTTP requests to the MCP endpoints with such bodies. */
export function mcpRequests(tools: readonly AnyTool[]): fc.Arbitrary<HttpRequest> {
  return fc.oneof(
    { weight: 1, arbitrary: rpcBodiesOverHttp(tools) },
    { weight: 1, arbitrary: mutatedMcpRequests(tools) },
  );
}

/** Messages of both revisions with hostile fields; half of them bypass the fast path. */
function mutatedMcpRequests(tools: readonly AnyTool[]): fc.Arbitrary<HttpRequest> {
  const answersAtOnce = createPromptCheck(tools);
  return mcpMessages(tools, { streams: true }).chain(({ headers, json }) =>
    fc
      .record({
        body: mutatedFields(fc.constant(json)).filter((body) => answersAtOnce(Buffer.from(body))),
        path: ENDPOINT,
        bypassesFastPath: fc.boolean(),
      })
      .map(({ body, path, bypassesFastPath }) => ({
        method: 'POST',
        // The fast path takes the path without the slash only.
        target: bypassesFastPath ? `${path}/` : path,
        headers,
        body: Buffer.from(body),
      })),
  );
}

function rpcBodiesOverHttp(tools: readonly AnyTool[]): fc.Arbitrary<HttpRequest> {
  return fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant('POST') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS') },
    ),
    target: fc.oneof(
      { weight: 20, arbitrary: ENDPOINT },
      { weight: 1, arbitrary: fc.constantFrom('/mcp/', '/mcp?x=%zz', '/mcp/core?', '/mcp/core#x') },
    ),
    headers: headersWith([OWN_HOST, JSON_BODY, MCP_ACCEPT]),
    body: rpcBodies(tools),
  });
}
