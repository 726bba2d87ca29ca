import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { parseRoute } from '#tool/route.ts';
import { CONDITIONS, headerChange } from './differential-headers.ts';
import { JSON_BODY, OWN_HOST, type Header } from './headers.ts';
import { mcpMessages } from './mcp-messages.ts';
import type { RawRequest } from './raw-request.ts';
import { bodySpelling, respelling } from './spelling.ts';
import { strayTarget, target } from './targets.ts';
import { argumentsFor, writeObject } from './values.ts';

type Change<Value> = (value: Value) => Value;

type Parts = Pick<RawRequest, 'method' | 'target' | 'headers' | 'body'>;

/** Requests as clients send them. */
const partsOf = (
  method: string,
  targets: fc.Arbitrary<string>,
  headers: readonly Header[],
  body: fc.Arbitrary<string | undefined>,
): fc.Arbitrary<Parts> =>
  fc.record({ method: fc.constant(method), target: targets, headers: fc.constant(headers), body });

const noBody = fc.constant(undefined);

function toolRequests(tool: AnyTool): fc.Arbitrary<Parts> {
  const { method, path } = parseRoute(tool);
  return method === 'GET'
    ? partsOf(method, target(path, Object.keys(inputSchema(tool).properties)), [OWN_HOST], noBody)
    : partsOf(method, target(path, []), [OWN_HOST, JSON_BODY], argumentsFor(tool).map(writeObject));
}

const mcpRequests = (tools: readonly AnyTool[]): fc.Arbitrary<Parts> =>
  mcpMessages(tools, { streams: false }).map(({ headers, json }) => ({
    method: 'POST',
    target: '/mcp',
    headers,
    body: json,
  }));

/** Functions that spell a request differently or change a detail of it. */
const change: fc.Arbitrary<Change<Parts>> = fc
  .record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constant('HEAD') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'OPTIONS', 'PUT') },
    ),
    respell: respelling,
    changeHeaders: headerChange,
    spell: bodySpelling,
  })
  .map(({ method, respell, changeHeaders, spell }) => (parts) => ({
    // Clients frame a HEAD request with a body differently.
    method: method === 'HEAD' && parts.body !== undefined ? parts.method : (method ?? parts.method),
    target: respell(parts.target),
    headers: changeHeaders(parts.headers),
    body: parts.body === undefined ? undefined : spell(parts.body),
  }));

/** A request, and a plain one that is sent before it and may fill a cache. */
export interface Variation {
  readonly plain: RawRequest;
  readonly changed: RawRequest;
}

/** Requests to every route, document, tool and method, similar to those that the fast path serves. */
export function variations(tools: readonly AnyTool[], documents: readonly string[]): fc.Arbitrary<Variation> {
  const parts = fc.oneof(
    ...tools.map((tool) => ({
      weight: parseRoute(tool).method === 'GET' ? 4 : 3,
      arbitrary: toolRequests(tool),
    })),
    ...documents.map((template) => ({
      weight: 1,
      arbitrary: partsOf('GET', target(template, []), [OWN_HOST], noBody),
    })),
    {
      weight: 1,
      // The HTTP parser rejects any other target and closes the connection.
      arbitrary: partsOf(
        'GET',
        strayTarget.filter((text) => /^\/[!-~]*$/.test(text)),
        [OWN_HOST],
        noBody,
      ),
    },
    { weight: 40, arbitrary: mcpRequests(tools) },
  );
  const rest = fc.record({
    version: fc.oneof(
      { weight: 12, arbitrary: fc.constant('1.1' as const) },
      { weight: 1, arbitrary: fc.constant('1.0' as const) },
    ),
    isChunked: fc.oneof(
      { weight: 12, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    condition: fc.constantFrom(...CONDITIONS),
    waitMs: fc.constantFrom(0, 0, 0, 1000, 600_000),
  });
  return fc.tuple(parts, change, rest).map(([plain, make, others]) => ({
    plain: { ...plain, version: '1.1', isChunked: false, condition: undefined, waitMs: 0 },
    changed: { ...make(plain), ...others },
  }));
}
