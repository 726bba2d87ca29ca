import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchemaOf } from '#tool/json-schema.ts';
import { routeOf } from '#tool/route.ts';
import { misencoded, mutated, strangeBody } from './bytes.ts';
import { headersWith, JSON_BODY, OWN_HOST, type Header } from './headers.ts';
import { mutatedFields } from './json-tree.ts';
import { strayTarget, target } from './targets.ts';
import { argumentsFor, writeObject } from './values.ts';

/** A request as it goes on the wire. */
export interface Sending {
  readonly method: string;
  /** What stands in the request line. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | undefined;
}

/** As the service reads it: without a byte order mark. */
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

const body = (tool: AnyTool): fc.Arbitrary<Buffer> => {
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

/** The method that belongs there, mostly. */
const methodLike = (method: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constant(method === 'GET' ? 'HEAD' : method) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );

const reading = (template: string, names: readonly string[]): fc.Arbitrary<Sending> =>
  fc.record({
    method: methodLike('GET'),
    target: target(template, names),
    headers: headersWith([OWN_HOST]),
    body: fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: strangeBody }),
  });

function calling(tool: AnyTool): fc.Arbitrary<Sending> {
  const route = routeOf(tool);
  if (route.method === 'GET') return reading(route.path, Object.keys(inputSchemaOf(tool).properties));
  return fc.record({
    method: methodLike(route.method),
    target: target(route.path, []),
    headers: headersWith([OWN_HOST, JSON_BODY]),
    body: body(tool),
  });
}

const straying: fc.Arbitrary<Sending> = fc.record({
  method: fc.constantFrom(...METHODS),
  target: strayTarget,
  headers: headersWith([OWN_HOST]),
  body: fc.oneof(fc.constant(undefined), strangeBody),
});

/** @param documents templates of what is read without a tool */
export function requestsTo(tools: readonly AnyTool[], documents: readonly string[]): fc.Arbitrary<Sending> {
  return fc.oneof(
    ...tools.map((tool) => ({ weight: routeOf(tool).method === 'POST' ? 6 : 3, arbitrary: calling(tool) })),
    ...documents.map((template) => ({ weight: 1, arbitrary: reading(template, []) })),
    { weight: 3, arbitrary: straying },
  );
}
