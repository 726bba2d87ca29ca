import fc from 'fast-check';
import { createWaitParser } from '#mcp/protocol/call.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { parseRoute } from '#tool/route.ts';
import { POST_IDS, UNKNOWN_IDS } from './corpus.ts';
import { headerChange, OWN_HOST } from './headers.ts';
import { bodyChange, strangeBody, type Change } from './hostile.ts';
import { getRequest, readJson, toWriteRequest, type HttpRequest } from './http-request.ts';
import { mcpRequests } from './mcp-requests.ts';
import { strayTarget, target, targetChange } from './targets.ts';
import { argumentsFor, queryFieldsOf } from './values.ts';

const getRequests = (targets: fc.Arbitrary<string>): fc.Arbitrary<HttpRequest> => targets.map(getRequest);

function toolRequests(tool: AnyTool): fc.Arbitrary<HttpRequest> {
  const { method, path } = parseRoute(tool);
  if (method === 'GET') return getRequests(target(path, queryFieldsOf(tool)));
  return fc.tuple(target(path, {}), argumentsFor(tool)).map((parts) => toWriteRequest(...parts));
}

/** Requests to every tool, over REST, and to documents. @param templates paths of tools and documents */
export function restRequests(
  tools: readonly AnyTool[],
  templates: readonly string[],
): fc.Arbitrary<HttpRequest> {
  const toolPaths = tools.map((tool) => parseRoute(tool).path);
  const documents = templates.filter((template) => !toolPaths.includes(template));
  return fc.oneof(
    ...tools.map((tool) => ({
      weight: parseRoute(tool).method === 'POST' ? 6 : 3,
      arbitrary: toolRequests(tool),
    })),
    ...documents.map((template) => ({ weight: 1, arbitrary: getRequests(target(template)) })),
    { weight: 3, arbitrary: getRequests(strayTarget) },
  );
}

/** Reports by the form of /report. */
export const formRequests: fc.Arbitrary<HttpRequest> = fc
  .record({
    id: fc.constantFrom(...POST_IDS, ...UNKNOWN_IDS, ''),
    reason: fc.constantFrom('spam', 'other', 'x'),
    origin: fc.constantFrom([], [['Origin', 'http://localhost'] as const], [['Origin', 'null'] as const]),
  })
  .map(({ id, reason, origin }) => ({
    method: 'POST',
    target: '/report',
    headers: [OWN_HOST, ['Content-Type', 'application/x-www-form-urlencoded'], ...origin],
    body: Buffer.from(new URLSearchParams({ id, reason }).toString()),
  }));

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'];

/** Changes of any part of a request; many change nothing. */
const hostileChange: fc.Arbitrary<Change<HttpRequest>> = fc
  .record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
    ),
    changeTarget: targetChange,
    changeHeaders: headerChange,
    changeBody: bodyChange,
    addedBody: fc.oneof(
      { weight: 20, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: strangeBody },
    ),
  })
  .map(({ method, changeTarget, changeHeaders, changeBody, addedBody }) => (request) => ({
    method: method ?? request.method,
    target: changeTarget(request.target),
    headers: changeHeaders(request.headers),
    body: request.body === undefined ? addedBody : changeBody(request.body),
  }));

/** @returns a function that says whether a body is a call that answers at once: one that waits would end the campaign */
function createPromptCheck(tools: readonly AnyTool[]): (body: Buffer) => boolean {
  const waitOf = createWaitParser(tools);
  return (body) => {
    try {
      return waitOf(readJson(body)) === undefined;
    } catch {
      return true;
    }
  };
}

/** Requests to every tool over REST and MCP, and to documents, half of them with hostile changes. */
export function hostileRequests(
  tools: readonly AnyTool[],
  templates: readonly string[],
): fc.Arbitrary<HttpRequest> {
  const answersAtOnce = createPromptCheck(tools);
  return fc
    .tuple(fc.oneof(restRequests(tools, templates), mcpRequests(tools, { streams: true })), hostileChange)
    .map(([request, change]) => change(request))
    .filter(({ body }) => body === undefined || answersAtOnce(body));
}
