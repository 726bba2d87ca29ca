import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { JSON_BODY, MCP_ACCEPT, OWN_HOST, type Header } from './headers.ts';
import { METHODS, URIS, type Params } from './mcp-methods.ts';
import { argumentsFor, asValue, writeObject, type Members } from './values.ts';

export const REVISION = '2026-07-28';

/** What every request of revision 2026-07-28 carries in `params._meta`. */
export const CLIENT_META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One JSON-RPC request, and the HTTP headers that belong to it. */
export interface McpMessage {
  readonly headers: readonly Header[];
  /** `jsonrpc`, `id`, `method` and `params`, as JSON. */
  readonly json: string;
}

/** The parameter that the header Mcp-Name repeats. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The response to this one is a stream. */
const STREAMED = 'subscriptions/listen';

const IDS = [1, 0, -1, 'a', '', '1', 2 ** 31, 1.5, 2 ** 53, 1e21, '\u{1F600}', '"\\\n', null, true, {}, [1]];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constant<unknown>(1) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...IDS) },
);

const headerValue = (value: unknown): string =>
  typeof value === 'string' && /^[!-~]*$/.test(value) ? value : 'x';

function message(method: string, params: Members, requestId: unknown, isNew: boolean): McpMessage {
  const all: Members = isNew ? [...params, ['_meta', CLIENT_META]] : params;
  const name = new Map(params).get(NAMED[method] ?? '');
  const standard: Header[] = [
    ['Mcp-Protocol-Version', REVISION],
    ['Mcp-Method', method],
    ...(name === undefined ? [] : [['Mcp-Name', headerValue(name)] as const]),
  ];
  return {
    headers: [OWN_HOST, JSON_BODY, MCP_ACCEPT, ...(isNew ? standard : [])],
    json: writeObject([
      ['jsonrpc', '2.0'],
      ['id', requestId],
      ['method', method],
      ['params', asValue(all)],
    ]),
  };
}

const LISTENING: Params = fc
  .subarray([...URIS], { minLength: 1, maxLength: 3 })
  .map((uris): Members => [['notifications', { resourceSubscriptions: uris }]]);

interface Kinds {
  /** Whether there are some that are answered with a stream. */
  readonly streams: boolean;
}

/** Requests of both revisions to every tool and every method; their parameters are right more often than not. */
export function mcpMessages(tools: readonly AnyTool[], { streams }: Kinds): fc.Arbitrary<McpMessage> {
  const calls = tools.map((tool) => ({
    weight: 3,
    method: 'tools/call',
    params: argumentsFor(tool).map(
      (args): Members => [
        ['name', tool.name],
        ['arguments', asValue(args)],
      ],
    ),
  }));
  const others = Object.entries(METHODS)
    .filter(([method]) => method !== STREAMED && !method.startsWith('notifications/'))
    .map(([method, params]) => ({ weight: method.includes('/read') ? 6 : 1, method, params }));
  const listening = streams ? [{ weight: 2, method: STREAMED, params: LISTENING }] : [];
  return fc.oneof(
    ...[...calls, ...others, ...listening].map(({ weight, method, params }) => ({
      weight,
      arbitrary: fc
        .tuple(params, id, fc.boolean())
        .map(([members, requestId, isNew]) => message(method, members, requestId, isNew)),
    })),
  );
}
