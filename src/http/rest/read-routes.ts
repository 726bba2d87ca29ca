import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { READS, type AnyTool } from '#tool/define-tool.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import { fillIn, routeOf } from '#tool/route.ts';
import { canWait } from '#tool/wait-for-result.ts';
import { refusedArguments } from '#tool/unknown-arguments.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { invalidRequestError } from '#workspace/errors.ts';
import type { Document } from '#http/documents/documents.ts';
import type { HttpAppOptions } from '#http/app-options.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import {
  createCacheable,
  liveCacheControl,
  type CacheableResponse,
} from '#http/responses/cacheable-response.ts';
import { createEncoder } from '#http/responses/encoded-response.ts';
import { createLinker } from './next-link.ts';
import { createQueryReader } from './tool-arguments.ts';

type Parameters = Readonly<Record<string, string>>;

/** A route of GET and HEAD. */
export interface ReadRoute {
  /** Parameters in braces. */
  readonly path: string;
  /** @param headers of the request @throws WorkspaceError */
  readonly read: (
    parameters: Parameters,
    query: URLSearchParams,
    headers: IncomingHttpHeaders,
  ) => MaybePromise<CacheableResponse>;
}

/** No read uses the client key. */
const ANONYMOUS_READER = { clientKey: LOOPBACK_CLIENT };

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
  { workspace, results, readMaxAge }: HttpAppOptions,
  tool: AnyTool,
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute {
  const route = routeOf(tool);
  const toArguments = createQueryReader(tool, route);
  const linkOf = createLinker(tool, workspace.service.baseUrl);
  // What depends on the clock may change at any time.
  const cacheControl = liveCacheControl(tool.maxAgeMs === undefined ? readMaxAge : 0);
  const encode = createEncoder((result) =>
    createCacheable(
      { text: result.text, type: JSON_TYPE, cacheControl, link: linkOf(result) },
      commonHeaders,
    ),
  );
  return {
    path: route.path,
    read: (parameters, query, headers) =>
      chain(
        results.run(tool, { ...toArguments(query), ...parameters }, { workspace, caller: ANONYMOUS_READER }),
        (result) => encode(result, headers['accept-encoding']),
      ),
  };
}

function documentRoute(
  { results }: HttpAppOptions,
  document: Document,
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute {
  const { path, type, cacheControl, body } = document;
  const encode = createEncoder(({ text }) => createCacheable({ text, type, cacheControl }, commonHeaders));
  return {
    path,
    read: (parameters, query, headers) => {
      if (path.startsWith('/api/')) refuseQuery(path, query);
      return chain(
        results.read(`GET ${fillIn(path, (name) => parameters[name] ?? '')}`, async () => ({
          input: parameters,
          output: {},
          text: await body(parameters),
        })),
        (result) => encode(result, headers['accept-encoding']),
      );
    },
  };
}

/** @throws WorkspaceError invalid_request for any parameter, as a read without arguments */
function refuseQuery(path: string, query: URLSearchParams): void {
  const document = { name: path, annotations: READS, input: { shape: {} } };
  const refused = refusedArguments(document, [...query.keys()]);
  if (refused.length > 0) throw invalidRequestError(refused);
}
