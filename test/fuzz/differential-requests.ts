import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchemaOf } from '#tool/json-schema.ts';
import { routeOf } from '#tool/route.ts';
import { CONDITIONS, headerChange } from './differential-headers.ts';
import { JSON_BODY, OWN_HOST, type Header } from './headers.ts';
import { mcpMessages } from './mcp-messages.ts';
import type { RawRequest } from './raw-request.ts';
import { bodySpelling, respelling } from './spelling.ts';
import { strayTarget, target } from './targets.ts';
import { argumentsFor, writeObject } from './values.ts';

type Change<Value> = (value: Value) => Value;

type Parts = Pick<RawRequest, 'method' | 'target' | 'headers' | 'body'>;

/** A request as clients send it. */
const partsOf = (
  method: string,
  address: fc.Arbitrary<string>,
  headers: readonly Header[],
  body: fc.Arbitrary<string | undefined>,
): fc.Arbitrary<Parts> =>
  fc.record({ method: fc.constant(method), target: address, headers: fc.constant(headers), body });

const noBody = fc.constant(undefined);

function toolRequests(tool: AnyTool): fc.Arbitrary<Parts> {
  const { method, path } = routeOf(tool);
  return method === 'GET'
    ? partsOf(method, target(path, Object.keys(inputSchemaOf(tool).properties)), [OWN_HOST], noBody)
    : partsOf(method, target(path, []), [OWN_HOST, JSON_BODY], argumentsFor(tool).map(writeObject));
}

const mcpRequests = (tools: readonly AnyTool[]): fc.Arbitrary<Parts> =>
  mcpMessages(tools, { streams: false }).map(({ headers, json }) => ({
    method: 'POST',
    target: '/mcp',
    headers,
    body: json,
  }));

/** The same request as another client might write it, and one that differs from it in little. */
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
    // A HEAD request with a body is not framed alike by all clients.
    method: method === 'HEAD' && parts.body !== undefined ? parts.method : (method ?? parts.method),
    target: respell(parts.target),
    headers: changeHeaders(parts.headers),
    body: parts.body === undefined ? undefined : spell(parts.body),
  }));

/** A request, and the plain one that may have filled a cache before it. */
export interface Variation {
  readonly plain: RawRequest;
  readonly changed: RawRequest;
}

/** Requests to every route, document, tool and method, near to those that a fast path answers. */
export function variations(tools: readonly AnyTool[], documents: readonly string[]): fc.Arbitrary<Variation> {
  const parts = fc.oneof(
    ...tools.map((tool) => ({
      weight: routeOf(tool).method === 'GET' ? 4 : 3,
      arbitrary: toolRequests(tool),
    })),
    ...documents.map((template) => ({
      weight: 1,
      arbitrary: partsOf('GET', target(template, []), [OWN_HOST], noBody),
    })),
    {
      weight: 1,
      // The parser refuses any other target and closes the connection.
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
