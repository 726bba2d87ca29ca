import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { CachedResult } from '#tool/cached-result.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import type { PreparedCall } from '#tool/result-cache.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import { canWait } from '#tool/wait-for-result.ts';
import { TimedResult } from '#tool/timed-result.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import type { Document, DocumentContent, Reading } from '#http/documents/document.ts';
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
    ...documents.map((document) => ({
      path: document.path,
      answer: createDocumentAnswer(options, document, commonHeaders),
    })),
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

/**
 * Creates the responses of a document.
 * @param toQuery reads its query @throws WorkspaceError
 */
export function createDocumentAnswer(
  options: HttpAppOptions,
  document: Document,
  commonHeaders: OutgoingHttpHeaders,
  toQuery: (query: URLSearchParams) => Fields = createDocumentQueryReader(document),
): ReadRoute['answer'] {
  const { type, encoding, cacheControl, link, vary, headers } = document;
  const { plain, send } = createEncoder(
    ({ text, output }) =>
      createCacheable(
        { text, encoding, type, cacheControl, link, vary, ...(output as Omit<DocumentContent, 'text'>) },
        { ...commonHeaders, ...headers },
      ),
    options.compressor,
  );
  const readResult = createResultReader(options, document, plain);
  return (request, response, parameters, caller) =>
    chain(readResult(parameters, toQuery(readQuery(request.url ?? '')), caller), (result) =>
      send(request, response, result, caller),
    );
}

/** Creates a function that reads a document or returns a cached one. Its output is what the text lacks. */
function createResultReader(
  { results, workspace }: HttpAppOptions,
  { path, type, cacheControl, maxAgeMs, freshMs, body }: Document,
  form: (result: CachedResult) => CacheableResponse,
): (parameters: Parameters, query: Fields, caller: Caller) => MaybePromise<CachedResult> {
  const make = async (parameters: Parameters, query: Fields, reading: Reading) => {
    const content = await body(parameters, query, reading);
    const { text, ...output } = typeof content === 'string' ? { text: content } : content;
    return { input: { ...parameters, ...query }, output, text };
  };
  const expireAt = (): void => undefined;
  if (maxAgeMs !== undefined) {
    const timed = new TimedResult(
      workspace.now,
      maxAgeMs,
      () => results.gate.run(EVERYBODY, (pause) => make({}, {}, { pause, expireAt })).result,
    );
    return () => timed.read();
  }
  if (cacheControl === NO_STORE)
    return async (parameters, query, caller) => {
      const { result } = results.gate.run(caller, (pause) => make(parameters, query, { pause, expireAt }), {
        isLong: true,
      });
      return new CachedResult(await result);
    };
  return (parameters, query, caller) => {
    // A decoded parameter could contain what separates the parts of the key.
    const filledIn = fillIn(path, (name) => encodeURIComponent(parameters[name] ?? ''));
    return results.read(`GET ${type} ${filledIn} ${JSON.stringify(query)}`, {
      caller,
      form,
      make: (pause, expires) => make(parameters, query, { pause, expireAt: expires }),
      lifetime: freshMs === undefined ? undefined : { now: workspace.now(), maxAge: freshMs },
    });
  };
}
