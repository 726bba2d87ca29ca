import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { CachedResult } from '#tool/cached-result.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import type { Pause } from '#tool/read-gate.ts';
import type { PreparedCall } from '#tool/result-cache.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import { canWait } from '#tool/wait-for-result.ts';
import { TimedResult } from '#tool/timed-result.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/caller.ts';
import type { Document } from '#http/documents/document.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import {
  createCacheable,
  liveCacheControl,
  NO_STORE,
  type CacheableResponse,
} from '#http/responses/cacheable-response.ts';
import { createEncoder } from '#http/responses/encoded-response.ts';
import { createDocumentQueryReader } from './document-query.ts';
import { createLinker } from './next-link.ts';
import { createQueryReader, rawQuery, readQuery } from './tool-arguments.ts';

type Parameters = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

/** A route of GET and HEAD. */
export interface ReadRoute {
  /** Parameters in braces. */
  readonly path: string;
  /** Sends the response. @throws WorkspaceError */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Parameters,
    caller: Caller,
  ) => MaybePromise<void>;
}

/** Cached queries of each tool with their validated arguments, and the UTF-16 units of the longest query. */
const MAX_PREPARED = 500;
const MAX_SPELLING_LENGTH = 300;

/** The caller of a read that is shared by all requests, so that it is not dropped with the first one. */
const EVERYBODY: Caller = { clientKey: LOOPBACK_CLIENT };

/** @param commonHeaders of every read */
export function createReadRoutes(
  options: HttpAppOptions,
  documents: readonly Document[],
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute[] {
  const tools = options.tools.filter((tool) => tool.annotations.readOnlyHint && !canWait(tool));
  return [
    ...tools.map((tool) => toolRoute(options, tool, commonHeaders)),
    ...documents.map((document) => documentRoute(options, document, commonHeaders)),
  ];
}

function toolRoute(
  { workspace, results, compressor, readMaxAge }: HttpAppOptions,
  tool: AnyTool,
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute {
  const route = parseRoute(tool);
  const toArguments = createQueryReader(tool, route);
  const toLink = createLinker(tool, workspace.service.baseUrl);
  // A result that depends on the clock may change at any time.
  const cacheControl = liveCacheControl(tool.maxAgeMs === undefined ? readMaxAge : 0);
  const { plain, send } = createEncoder(
    (result) =>
      createCacheable(
        { text: result.text, type: JSON_TYPE, cacheControl, link: toLink(result) },
        commonHeaders,
      ),
    compressor,
  );
  const prepared = new LRUCache<string, PreparedCall>({ max: MAX_PREPARED });
  const prepare = (parameters: Parameters, query: string): PreparedCall => {
    // A query has no line break.
    const spelling = [query, ...Object.values(parameters)].join('\n');
    const known = prepared.get(spelling);
    if (known !== undefined) return known;
    const call = results.prepare(tool, { ...toArguments(new URLSearchParams(query)), ...parameters }, {});
    if (spelling.length <= MAX_SPELLING_LENGTH) prepared.set(spelling, call);
    return call;
  };
  return {
    path: route.path,
    answer: (request, response, parameters, caller) => {
      const call = prepare(parameters, rawQuery(request.url ?? ''));
      return chain(results.runPrepared(call, { workspace, caller }, plain), (result) =>
        send(request, response, result, caller),
      );
    },
  };
}

function documentRoute(
  options: HttpAppOptions,
  document: Document,
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute {
  const { path, type, encoding, cacheControl, link } = document;
  const toQuery = createDocumentQueryReader(document);
  const { plain, send } = createEncoder(
    ({ text, output }) =>
      createCacheable(
        { text, encoding, type, cacheControl, link, lastModified: output['lastModified'] as string | null },
        commonHeaders,
      ),
    options.compressor,
  );
  const readResult = createResultReader(options, document, plain);
  return {
    path,
    answer: (request, response, parameters, caller) =>
      chain(readResult(parameters, toQuery(readQuery(request.url ?? '')), caller), (result) =>
        send(request, response, result, caller),
      ),
  };
}

/** Creates a function that reads a document or returns a cached one. Its output has `lastModified`. */
function createResultReader(
  { results, workspace }: HttpAppOptions,
  { path, cacheControl, maxAgeMs, freshMs, body }: Document,
  form: (result: CachedResult) => CacheableResponse,
): (parameters: Parameters, query: Fields, caller: Caller) => MaybePromise<CachedResult> {
  const make = async (parameters: Parameters, query: Fields, pause: Pause) => {
    const content = await body(parameters, query, pause);
    const { text, lastModified } =
      typeof content === 'string' ? { text: content, lastModified: null } : content;
    return { input: parameters, output: { lastModified }, text };
  };
  if (maxAgeMs !== undefined) {
    const timed = new TimedResult(
      workspace.now,
      maxAgeMs,
      () => results.gate.run(EVERYBODY, (pause) => make({}, {}, pause)).result,
    );
    return () => timed.read();
  }
  if (cacheControl === NO_STORE)
    return async (parameters, query, caller) =>
      new CachedResult(await results.gate.run(caller, (pause) => make(parameters, query, pause)).result);
  return (parameters, query, caller) => {
    const filledIn = fillIn(path, (name) => parameters[name] ?? '');
    return results.read(`GET ${filledIn} ${JSON.stringify(query)}`, {
      caller,
      form,
      make: (pause) => make(parameters, query, pause),
      lifetime: freshMs === undefined ? undefined : { now: workspace.now(), maxAge: freshMs },
    });
  };
}
