import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { parseRoute } from '#tool/route.ts';
import { misencoded, mutated, strangeBody } from './bytes.ts';
import { headersWith, JSON_BODY, OWN_HOST, type Header } from './headers.ts';
import { mutatedFields } from './json-tree.ts';
import { strayTarget, target } from './targets.ts';
import { argumentsFor, writeObject } from './values.ts';

/** A request as it is sent. */
export interface HttpRequest {
  readonly method: string;
  /** The target of the request line. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | undefined;
}

/** Parses JSON as the service does: without a byte order mark. */
export function readJson(body: Buffer): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'M-SEARCH',
];

const toolBody = (tool: AnyTool): fc.Arbitrary<Buffer> => {
  const text = argumentsFor(tool).map(writeObject);
  const bytes = text.map((json) => Buffer.from(json));
  return fc.oneof(
    { weight: 14, arbitrary: bytes },
    { weight: 14, arbitrary: mutatedFields(text).map((json) => Buffer.from(json)) },
    { weight: 4, arbitrary: mutated(bytes) },
    { weight: 1, arbitrary: misencoded(text) },
    { weight: 2, arbitrary: strangeBody },
  );
};

/** Mostly the given method. */
const methodLike = (method: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constant(method === 'GET' ? 'HEAD' : method) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );

const getRequests = (template: string, names: readonly string[]): fc.Arbitrary<HttpRequest> =>
  fc.record({
    method: methodLike('GET'),
    target: target(template, names),
    headers: headersWith([OWN_HOST]),
    body: fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: strangeBody }),
  });

function toolRequests(tool: AnyTool): fc.Arbitrary<HttpRequest> {
  const route = parseRoute(tool);
  // The seconds to wait are left out: a call that waits for minutes would end the campaign.
  const names = Object.keys(inputSchema(tool).properties).filter(
    (name) => name !== tool.waiting?.secondsArgument,
  );
  if (route.method === 'GET') return getRequests(route.path, names);
  return fc.record({
    method: methodLike(route.method),
    target: target(route.path, []),
    headers: headersWith([OWN_HOST, JSON_BODY]),
    body: toolBody(tool),
  });
}

const strayRequests: fc.Arbitrary<HttpRequest> = fc.record({
  method: fc.constantFrom(...METHODS),
  target: strayTarget,
  headers: headersWith([OWN_HOST]),
  body: fc.oneof(fc.constant(undefined), strangeBody),
});

/** @param documents path templates that belong to no tool */
export function restRequests(
  tools: readonly AnyTool[],
  documents: readonly string[],
): fc.Arbitrary<HttpRequest> {
  return fc.oneof(
    ...tools.map((tool) => ({
      weight: parseRoute(tool).method === 'POST' ? 6 : 3,
      arbitrary: toolRequests(tool),
    })),
    ...documents.map((template) => ({ weight: 1, arbitrary: getRequests(template, []) })),
    { weight: 3, arbitrary: strayRequests },
  );
}
