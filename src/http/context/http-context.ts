import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import helmet from 'helmet';
import { settle, type MaybePromise } from '#tool/maybe-promise.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { createDocuments } from '#http/documents/documents.ts';
import { createFailureReply } from './failure-reply.ts';
import { captureMiddlewareHeaders, type HeaderMiddleware } from '#http/responses/middleware-headers.ts';
import { createCorsHeaders } from '#http/guards/cors-headers.ts';
import { createRequestCheck } from '#http/guards/request-check.ts';
import { createRequestRateLimiter } from '#http/guards/request-rate-limit.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import type { WorkspaceError } from '#workspace/service/errors.ts';
import { RenderedMessages } from '#http/html/rendered-messages.ts';
import { isMcpPath, MCP_PATH } from '#http/mcp/mcp-path.ts';
import { PAGE_POLICY } from '#http/pages/layout.ts';
import { createPageRoutes } from '#http/pages/page-routes.ts';
import { createPages } from '#http/pages/pages.ts';
import type { TransportError } from '#http/responses/problem.ts';
import { sendReply, type FailureReply } from '#http/responses/reply.ts';
import { createReadRoutes, type ReadRoute } from '#http/rest/read-routes.ts';
import { createWaitRoutes } from '#http/rest/wait-routes.ts';
import { createWriteRoutes, type WriteRoute } from '#http/rest/write-routes.ts';

/**
 * Returns false if Express has to handle the request, which the handler has then neither read nor changed.
 */
export type FastHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The parts that Express and the fast path share, so that both send the same responses. */
export interface HttpContext {
  readonly options: HttpAppOptions;
  readonly readCaller: (request: IncomingMessage) => Caller;
  /** The caller of a read that may be dropped once the connection has closed. */
  readonly readDroppableCaller: (request: IncomingMessage, response: ServerResponse) => Caller;
  readonly reads: readonly ReadRoute[];
  readonly writes: readonly WriteRoute[];
  /** Sets the headers of every response of Express. */
  readonly headerMiddleware: readonly HeaderMiddleware[];
  /** The headers that this middleware sets, for responses that are built in advance. */
  readonly commonHeaders: OutgoingHttpHeaders;
  /** The same on the MCP endpoints, where CORS differs. */
  readonly commonMcpHeaders: OutgoingHttpHeaders;
  /** Passes an error to `next` when the caller sends too many requests. */
  readonly limitRate: ReturnType<typeof createRequestRateLimiter>;
  /** Checks a request before it is routed and its body is read. @returns the error of a refused request */
  readonly checkRequest: (request: IncomingMessage) => TransportError | WorkspaceError | undefined;
  readonly failureReply: FailureReply;
  /** Runs `answer` unless the caller sends too many requests. Sends its error or rejection as a response. */
  readonly withRateLimit: (
    request: IncomingMessage,
    response: ServerResponse,
    answer: () => MaybePromise<void>,
  ) => void;
  readonly sendFailure: (request: IncomingMessage, response: ServerResponse, error: unknown) => void;
}

export function createHttpContext(options: HttpAppOptions): HttpContext {
  const { workspace, accessPolicy, readCaller } = options;
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: false,
  });
  const headerMiddleware = [secure, createCorsHeaders(accessPolicy)];
  const commonHeaders = captureMiddlewareHeaders('GET', '/', ...headerMiddleware);
  const commonMcpHeaders = captureMiddlewareHeaders('POST', MCP_PATH, ...headerMiddleware);
  const limitRate = createRequestRateLimiter(workspace.protocol().limits.requestsPerMinute, readCaller);
  const failureReply = createFailureReply(options);
  const rendered = new RenderedMessages();
  workspace.watch(({ action, ids: [id = ''] }) => {
    if (action === 'hide' || action === 'erase') rendered.forget(id);
  });
  const documents = createDocuments(options, rendered);

  const sendFailure: HttpContext['sendFailure'] = (request, response, error) => {
    const reply = failureReply(error, request);
    if (response.headersSent) response.destroy();
    else sendReply(response, reply, isMcpPath(request.url ?? '') ? commonMcpHeaders : commonHeaders);
  };

  return {
    options,
    readCaller,
    readDroppableCaller: (request, response) => ({
      clientKey: readCaller(request).clientKey,
      hasLeft: () => response.destroyed,
    }),
    reads: [
      ...createReadRoutes(options, documents, commonHeaders),
      ...createWaitRoutes(options, commonHeaders),
      ...createPageRoutes(options, createPages(options, rendered), commonHeaders),
    ],
    writes: createWriteRoutes(options, failureReply),
    headerMiddleware,
    commonHeaders,
    commonMcpHeaders,
    limitRate,
    checkRequest: createRequestCheck(options),
    failureReply,
    withRateLimit: (request, response, answer) => {
      limitRate(request, response, (refused) => {
        const failed = (error: unknown): void => {
          sendFailure(request, response, error);
        };
        if (refused !== undefined) failed(refused);
        else settle(answer, () => undefined, failed);
      });
    },
    sendFailure,
  };
}
