import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { JSON_BODY, MCP_ACCEPT, OWN_HOST, type Header } from './headers.ts';
import { METHODS, URIS, type Params } from './mcp-methods.ts';
import { argumentsFor, toWrittenJson, writeObject, type Members } from './values.ts';

export const REVISION = '2026-07-28';

/** `params._meta` of every request of revision 2026-07-28. */
export const CLIENT_META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A JSON-RPC request with its HTTP headers. */
export interface McpMessage {
  readonly headers: readonly Header[];
  /** `jsonrpc`, `id`, `method` and `params`, as JSON. */
  readonly json: string;
}

/** The parameter that the Mcp-Name header repeats, by method. */
const NAME_PARAMS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The method whose response is a stream. */
const STREAM_METHOD = 'subscriptions/listen';

const IDS = [1, 0, -1, 'a', '', '1', 2 ** 31, 1.5, 2 ** 53, 1e21, '\u{1F600}', '"\\\n', null, true, {}, [1]];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constant<unknown>(1) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...IDS) },
);

const headerValue = (value: unknown): string =>
  typeof value === 'string' && /^[!-~]*$/.test(value) ? value : 'x';

function message(method: string, params: Members, requestId: unknown, isRevision2026: boolean): McpMessage {
  const all: Members = isRevision2026 ? [...params, ['_meta', CLIENT_META]] : params;
  const name = new Map(params).get(NAME_PARAMS[method] ?? '');
  const standard: Header[] = [
    ['Mcp-Protocol-Version', REVISION],
    ['Mcp-Method', method],
    ...(name === undefined ? [] : [['Mcp-Name', headerValue(name)] as const]),
  ];
  return {
    headers: [OWN_HOST, JSON_BODY, MCP_ACCEPT, ...(isRevision2026 ? standard : [])],
    json: writeObject([
      ['jsonrpc', '2.0'],
      ['id', requestId],
      ['method', method],
      ['params', toWrittenJson(all)],
    ]),
  };
}

const listenParams: Params = fc
  .subarray([...URIS], { minLength: 1, maxLength: 3 })
  .map((uris): Members => [['notifications', { resourceSubscriptions: uris }]]);

interface MessageOptions {
  /** Whether to include the method whose response is a stream. */
  readonly streams: boolean;
}

/** Requests of both revisions to every tool and every method; most of their parameters are valid. */
export function mcpMessages(
  tools: readonly AnyTool[],
  { streams }: MessageOptions,
): fc.Arbitrary<McpMessage> {
  const calls = tools.map((tool) => ({
    weight: 3,
    method: 'tools/call',
    params: argumentsFor(tool).map(
      (args): Members => [
        ['name', tool.name],
        ['arguments', toWrittenJson(args)],
      ],
    ),
  }));
  const others = Object.entries(METHODS)
    .filter(([method]) => method !== STREAM_METHOD && !method.startsWith('notifications/'))
    .map(([method, params]) => ({ weight: method.includes('/read') ? 6 : 1, method, params }));
  const streamMethods = streams ? [{ weight: 2, method: STREAM_METHOD, params: listenParams }] : [];
  return fc.oneof(
    ...[...calls, ...others, ...streamMethods].map(({ weight, method, params }) => ({
      weight,
      arbitrary: fc
        .tuple(params, id, fc.boolean())
        .map(([members, requestId, isRevision2026]) => message(method, members, requestId, isRevision2026)),
    })),
  );
}
