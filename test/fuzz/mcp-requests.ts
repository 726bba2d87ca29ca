import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { misencoded, mutated, strangeBody } from './bytes.ts';
import { NUMBERS } from './corpus.ts';
import { headersWith, JSON_BODY, MCP_ACCEPT, OWN_HOST } from './headers.ts';
import { mutatedFields } from './json-tree.ts';
import { mcpMessages } from './mcp-messages.ts';
import { METHODS, none, type Params } from './mcp-methods.ts';
import type { Sending } from './requests.ts';
import { hostileText } from './texts.ts';
import { argumentsFor, asValue, changed, hostileValue, writeObject, type Members } from './values.ts';

const REVISION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT = {
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const EXTRAS: Members = [
  ['_meta', { [REVISION]: '2026-07-28', ...CLIENT }],
  ['_meta', { [REVISION]: '2026-07-28', ...CLIENT }],
  ['_meta', { [REVISION]: '2026-07-28' }],
  ['_meta', { [REVISION]: '2099-01-01', ...CLIENT }],
  ['_meta', { [REVISION]: 5, ...CLIENT }],
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

const withExtras = (params: Params): Params =>
  fc
    .tuple(
      changed(params),
      fc.oneof(
        { weight: 6, arbitrary: none },
        { weight: 1, arbitrary: fc.constantFrom(...EXTRAS).map((extra) => [extra]) },
      ),
    )
    .map(([members, extra]) => [...members, ...extra]);

interface Asked {
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

const asked = (tools: readonly AnyTool[]): fc.Arbitrary<Asked> =>
  fc.oneof(
    ...tools.map((tool) => ({
      weight: 4,
      arbitrary: withExtras(
        argumentsFor(tool).map(
          (args): Members => [
            ['name', tool.name],
            ['arguments', asValue(args)],
          ],
        ),
      ).map((params): Asked => ({ method: 'tools/call', params: asValue(params) })),
    })),
    ...Object.entries(METHODS).map(([method, params]) => ({
      weight: method.includes('/read') ? 4 : 1,
      arbitrary: withExtras(params).map((members): Asked => ({ method, params: asValue(members) })),
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
    .tuple(asked(tools), id)
    .map(
      ([{ method, params }, number]): Members => [
        ['jsonrpc', '2.0'],
        ...(method.startsWith('notifications/') ? [] : [['id', number] as const]),
        ['method', method],
        ['params', params],
      ],
    );
  const answer = fc.constantFrom<Members>(
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
  const whole = fc.oneof({ weight: 20, arbitrary: request }, { weight: 1, arbitrary: answer });
  return fc.oneof({ weight: 5, arbitrary: whole }, { weight: 1, arbitrary: changed(whole) }).map(writeObject);
};

/** Bytes that are, or nearly are, one JSON-RPC message. */
export function envelopes(tools: readonly AnyTool[]): fc.Arbitrary<Buffer> {
  const text = messages(tools);
  const bytes = text.map((json) => Buffer.from(json));
  const hostile = mutatedFields(mcpMessages(tools, { streams: true }).map(({ json }) => json));
  return fc.oneof(
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
}

/** The same over HTTP. */
export function callsTo(tools: readonly AnyTool[]): fc.Arbitrary<Sending> {
  return fc.oneof(
    { weight: 1, arbitrary: envelopesOverHttp(tools) },
    { weight: 1, arbitrary: mutatedCalls(tools) },
  );
}

/** Messages of both revisions with hostile fields, as many in front of Express as behind the fast path. */
function mutatedCalls(tools: readonly AnyTool[]): fc.Arbitrary<Sending> {
  return mcpMessages(tools, { streams: true }).chain(({ headers, json }) =>
    fc
      .record({ body: mutatedFields(fc.constant(json)), isBehind: fc.boolean() })
      .map(({ body, isBehind }) => ({
        method: 'POST',
        // The fast path knows the address without the slash alone.
        target: isBehind ? '/mcp/' : '/mcp',
        headers,
        body: Buffer.from(body),
      })),
  );
}

function envelopesOverHttp(tools: readonly AnyTool[]): fc.Arbitrary<Sending> {
  return fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant('POST') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS') },
    ),
    target: fc.oneof(
      { weight: 20, arbitrary: fc.constant('/mcp') },
      { weight: 1, arbitrary: fc.constantFrom('/mcp/', '/mcp?x=%zz', '/mcp?', '/mcp#x') },
    ),
    headers: headersWith([OWN_HOST, JSON_BODY, MCP_ACCEPT]),
    body: envelopes(tools),
  });
}
