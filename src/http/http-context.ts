import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { settle } from '#tool/maybe-promise.ts';
import type { Caller } from '#workspace/caller.ts';
import { createLoggingCallerReader } from './guards/client.ts';
import { createDocuments, type Document } from './documents/documents.ts';
import { createFailureReply, type FailureReply } from './responses/failure-reply.ts';
import { captureMiddlewareHeaders } from './fast-path/middleware-headers.ts';
import { createCorsHeaders } from './guards/cors-headers.ts';
import { createPreflightChecks } from './guards/preflight-checks.ts';
import { createRequestRateLimiter } from './guards/request-rate-limit.ts';
import type { HttpAppOptions } from './app-options.ts';
import { MCP_PATH } from './mcp/mcp-path.ts';
import { PAGE_POLICY } from './documents/html-pages.ts';
import type { TransportError } from './problem.ts';
import { sendReply } from './responses/reply.ts';
import { createReadRoutes, type ReadRoute } from './rest/read-routes.ts';
import { createWriteRoutes, type WriteRoute } from './rest/write-routes.ts';

/** What Express and the fast path share, so that both give the same answers. */
export interface HttpContext {
  readonly options: HttpAppOptions;
  readonly caller: (request: IncomingMessage) => Caller;
  readonly documents: readonly Document[];
  readonly reads: readonly ReadRoute[];
  readonly writes: readonly WriteRoute[];
  /** Sets the headers of every response. */
  readonly headerMiddleware: readonly RequestHandler[];
  /** The headers that this middleware sets, for responses that do not pass it; those of /mcp are its own. */
  readonly common: OutgoingHttpHeaders;
  readonly mcpCommon: OutgoingHttpHeaders;
  readonly countRequest: ReturnType<typeof createRequestRateLimiter>;
  readonly refusal: (request: IncomingMessage) => TransportError | undefined;
  readonly failureReply: FailureReply;
  /** Runs `next` unless the caller sends too many requests; what it throws is answered as a failure. */
  readonly admit: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Answers a failure of the fast path. */
  readonly fail: (request: IncomingMessage, response: ServerResponse, error: unknown) => void;
}

export function createHttpContext(options: HttpAppOptions): HttpContext {
  const { workspace, accessPolicy, network, logger } = options;
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: false,
  });
  const headerMiddleware = [secure, createCorsHeaders(accessPolicy)];
  const common = captureMiddlewareHeaders('GET', '/', ...headerMiddleware);
  const mcpCommon = captureMiddlewareHeaders('POST', MCP_PATH, ...headerMiddleware);
  const caller = createLoggingCallerReader(network, logger);
  const countRequest = createRequestRateLimiter(workspace.protocol().limits.requestsPerMinute, caller);
  const failureReply = createFailureReply(options);
  const documents = createDocuments(options);

  const fail: HttpContext['fail'] = (request, response, error) => {
    const reply = failureReply(error, request.url ?? '');
    if (response.headersSent) response.destroy();
    else sendReply(response, reply, request.url === MCP_PATH ? mcpCommon : common);
  };

  return {
    options,
    caller,
    documents,
    reads: createReadRoutes(options, documents, common),
    writes: createWriteRoutes(options, failureReply),
    headerMiddleware,
    common,
    mcpCommon,
    countRequest,
    refusal: createPreflightChecks(options),
    failureReply,
    admit: (request, response, next) => {
      countRequest(request, response, (refused) => {
        if (refused !== undefined) fail(request, response, refused);
        else
          settle(
            next,
            () => undefined,
            (error) => {
              fail(request, response, error);
            },
          );
      });
    },
    fail,
  };
}
