import type { OutgoingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { CachedResult } from '#tool/cached-result.ts';
import { type AnyTool, AUTHOR_KEY, type Fields, takesKey } from '#tool/define-tool.ts';
import { createTimedRead, type PreparedCall, type ResultCache } from '#tool/result-cache.ts';
import { parseRoute } from '#tool/route.ts';
import { canWait, waitForResult, watchClosing } from '#tool/run-read.ts';
import { MAX_SILENT_SECONDS, startKeepAlive, UNBUFFERED } from '#workspace/waiting/keep-alive.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { rawQuery } from '#http/guards/request-check.ts';
import type { Document, Reading } from '#http/responses/document.ts';
import { redirectRenamed } from '#http/documents/redirects.ts';
import { joinHeaders, JSON_TYPE, type RouteRequest, type Route } from '#http/responses/reply.ts';
import {
  createCacheable,
  HEADERS_SIZE,
  liveCacheControl,
  NO_STORE,
  type CacheableResponse,
  createEncoder,
  type Compressor,
} from '#http/responses/cacheable-response.ts';
import {
  createDocumentQueryParser,
  createLinker,
  createQueryParser,
  type DocumentQuery,
  keyOfHeader,
  toQueryError,
} from './tool-arguments.ts';

export interface ReadOptions {
  readonly workspace: HttpWorkspace;
  /** Shared with the other transports. */
  readonly resultCache: ResultCache;
  readonly compressor: Compressor;
  /** How many seconds a cache may reuse a read of the store. */
  readonly readMaxAge: number;
  readonly commonHeaders: OutgoingHttpHeaders;
}

/** A call with validated arguments, and the header that names ignored ones. */
type PreparedRead = Pick<DocumentQuery, 'headers'> & { readonly call: PreparedCall };

/** The caller of a read that several requests share. The read continues when one of them disconnects. */
const SHARED_CALLER: Caller = { clientKey: LOOPBACK_CLIENT };

export function createRead(
  tool: AnyTool,
  { workspace, resultCache, compressor, readMaxAge, commonHeaders }: ReadOptions,
): Route['serve'] {
  const parseQuery = createQueryParser(tool, parseRoute(tool).parameters);
  const toLink = createLinker(tool, workspace.service.baseUrl);
  // A result that depends on the clock may change at any time.
  const cacheControl = liveCacheControl(tool.maxAgeMs === undefined ? readMaxAge : 0);
  const vary = takesKey(tool) ? 'Authorization' : undefined;
  const toResponse = (result: CachedResult): CacheableResponse =>
    createCacheable(
      {
        type: JSON_TYPE,
        cacheControl: result.isPrivate ? NO_STORE : cacheControl,
        link: toLink(result),
        vary,
      },
      { text: result.text },
      commonHeaders,
    );
  const { toReply } = createEncoder(toResponse, compressor);
  /** Calls by the spelling of their URL. */
  const prepared = new LRUCache<string, PreparedRead>({ max: 500 });
  const toRead = (parameters: RouteRequest['parameters'], query: string, key: object): PreparedRead => {
    const { args, headers } = parseQuery(new URLSearchParams(query));
    return { call: resultCache.prepare(tool, { ...args, ...parameters, ...key }, {}), headers };
  };
  const prepare = (parameters: RouteRequest['parameters'], query: string): PreparedRead => {
    // A query cannot contain a line break.
    const spelling = [query, ...Object.values(parameters)].join('\n');
    const known = prepared.get(spelling);
    if (known !== undefined) return known;
    const read = toRead(parameters, query, {});
    if (spelling.length <= 300) prepared.set(spelling, read);
    return read;
  };
  return async ({ request, parameters, caller }) => {
    const query = rawQuery(request.url ?? '');
    const key = keyOfHeader(tool, request);
    // All callers share `prepared`, so no call with an author key is added to it.
    const { call, headers } = AUTHOR_KEY in key ? toRead(parameters, query, key) : prepare(parameters, query);
    const result = await resultCache.runPrepared(call, { workspace, caller }, toResponse);
    return toReply(request, result, caller, headers);
  };
}

export function createDocumentRead(path: string, document: Document, options: ReadOptions): Route['serve'] {
  const toQuery = createDocumentQueryParser(document.query);
  const common = { ...options.commonHeaders, ...document.headers };
  const toResponse = ({ text, output }: CachedResult): CacheableResponse =>
    createCacheable(document, { text, ...output }, common);
  const { toReply } = createEncoder(toResponse, options.compressor);
  const readResult = createResultReader(path, document, options, toResponse);
  /** Most requests have no query. */
  let withoutQuery: DocumentQuery | undefined;
  const parseQuery = (query: string): DocumentQuery =>
    query === '' ? (withoutQuery ??= toQuery(new URLSearchParams())) : toQuery(new URLSearchParams(query));
  return async ({ request, parameters, caller }) => {
    const { url = '' } = request;
    const renamed = redirectRenamed(url, options.workspace.service, options.commonHeaders);
    if (renamed !== undefined) return renamed;
    const { fields, headers } = parseQuery(rawQuery(url));
    const result = await readResult(parameters, fields, caller);
    return toReply(request, result, caller, headers);
  };
}

/** Creates a function that reads a document through the cache. `output` is the content without the text. */
function createResultReader(
  path: string,
  { type, cacheControl, maxAgeMs, freshMs, body }: Document,
  { resultCache, workspace }: ReadOptions,
  encode: (result: CachedResult) => CacheableResponse,
): (parameters: RouteRequest['parameters'], query: Fields, caller: Caller) => Promise<CachedResult> {
  const make = async (parameters: RouteRequest['parameters'], query: Fields, reading: Reading) => {
    const content = await body(parameters, query, reading);
    const { text, ...output } = typeof content === 'string' ? { text: content } : content;
    return { input: { ...parameters, ...query }, output, text };
  };
  const expireAt = (): void => undefined;
  if (maxAgeMs !== undefined)
    return createTimedRead(
      workspace.now,
      maxAgeMs,
      () => resultCache.gate.run(SHARED_CALLER, (pause) => make({}, {}, { pause, expireAt })).result,
    );
  if (cacheControl === NO_STORE)
    return async (parameters, query, caller) => {
      const { result } = resultCache.gate.run(
        caller,
        (pause) => make(parameters, query, { pause, expireAt }),
        {
          isLong: true,
        },
      );
      return new CachedResult(await result);
    };
  return (parameters, query, caller) => {
    // Encoded, because a decoded parameter could contain the separator of the key.
    const encoded = Object.values(parameters).map(encodeURIComponent).join(' ');
    return resultCache.get({
      caller,
      encode,
      keyPrefix: `GET ${type} ${path} ${encoded}`,
      input: query,
      make: (asked, pause, expires) => make(parameters, asked, { pause, expireAt: expires }),
      maxAgeMs: freshMs,
    });
  };
}

/** Creates the function that serves a read that can wait. It keeps the connection alive meanwhile. */
export function createWait(
  tool: AnyTool,
  { workspace, resultCache, commonHeaders }: ReadOptions,
): Route['serve'] {
  if (!canWait(tool)) throw new Error(`${tool.name} cannot wait`);
  const parseQuery = createQueryParser(tool, parseRoute(tool).parameters);
  const toLink = createLinker(tool, workspace.service.baseUrl);
  const { secondsArgument } = tool.waiting;
  const earlyHeaders = { ...commonHeaders, ...NOT_STORED };

  const toResponse = (result: CachedResult) => {
    const body = Buffer.from(result.text);
    const link = toLink(result);
    const headers = {
      ...earlyHeaders,
      ...(link !== undefined && { Link: link }),
      'Content-Length': body.length,
    };
    return { status: 200, headers, body, size: body.length + (link?.length ?? 0) + HEADERS_SIZE };
  };

  return async ({ request, response, caller }) => {
    const signal = watchClosing(response);
    const query = parseQuery(new URLSearchParams(rawQuery(request.url ?? '')));
    const args: Record<string, unknown> = { ...query.args, ...keyOfHeader(tool, request) };
    // HEAD does not wait.
    if (request.method === 'HEAD') args[secondsArgument] = 0;
    const stopKeepAlive =
      Number(args[secondsArgument]) > MAX_SILENT_SECONDS
        ? startKeepAlive(() => {
            if (!response.headersSent)
              response.writeHead(200, { ...earlyHeaders, ...query.headers, ...UNBUFFERED });
            // JSON allows white space before its value.
            response.write(' ');
          })
        : () => undefined;
    try {
      const context = { workspace, caller, signal };
      const result = await waitForResult(resultCache, tool, args, context);
      if (signal.aborted) return undefined;
      const reply = result.encodedAs(toResponse);
      if (!response.headersSent)
        return { ...reply, headers: joinHeaders(reply.headers, query.headers ?? {}) };
      response.end(reply.body);
      return undefined;
    } catch (error) {
      throw toQueryError(error, tool);
    } finally {
      stopKeepAlive();
    }
  };
}

const NOT_STORED = { Vary: 'Authorization', 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE };
