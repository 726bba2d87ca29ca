import express, { Router, type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { respondToPreflight } from '#http/guards/cors-headers.ts';
import { checkPathEncoding } from '#http/guards/path-encoding.ts';
import { createRedirectHandler, REDIRECTS } from '#http/documents/redirects.ts';
import { createHealthHandler, HEALTH_PATH } from '#http/documents/health.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { REPORT_PATH } from '#http/pages/parts/byline.ts';
import { createReportForm } from './report-form.ts';
import { TransportError } from '#http/responses/problem.ts';
import { sendReply } from '#http/responses/reply.ts';
import { listMcpEndpoints } from '#http/mcp/mcp-path.ts';
import { createMessageHandler } from '#http/mcp/message-handler.ts';
import { fillIn } from '#tool/route.ts';
import { readQuery } from '#http/rest/tool-arguments.ts';
import { withIdempotencyKey } from '#http/rest/write-routes.ts';
import { isUtf8Of, parseJson, readBody } from '#http/guards/body.ts';

/** Parses a JSON body in UTF-8 (RFC 8259 section 8.1), of bounded size and depth. */
const readJson: RequestHandler = async (request, _response, next) => {
  if (!isUtf8Of('application/json', request))
    throw new TransportError(
      'unsupported_media_type',
      'Send the body as JSON in UTF-8 with the header Content-Type: application/json.',
    );
  request.body = parseJson(await readBody(request));
  next();
};

/** Handles every request. A response that the fast path could also send has the same bytes. */
export function createExpressApp(context: HttpContext): Express {
  const { options, reads, writes, headerMiddleware, limitRate, checkRequest } = context;
  const app = express();
  app.disable('x-powered-by').set('etag', false).set('query parser', false).enable('case sensitive routing');
  app.use(...headerMiddleware);
  // The rate limit counts every request of Express, including CORS preflights and requests refused below.
  app.use(limitRate);
  app.use((request, _response, next) => {
    next(checkRequest(request));
  });
  app.use(respondToPreflight);
  app.use((request, _response, next) => {
    next(checkPathEncoding(request.path));
  });
  app.use(createMcpRouter(context));
  app.use(createToolRouter(context));
  app.post(REPORT_PATH, createReportForm(context));
  app.get(HEALTH_PATH, createHealthHandler(options));
  for (const [path, target] of Object.entries(REDIRECTS))
    app.get(path, createRedirectHandler(options.workspace.service, target));
  const readPaths = [...reads.map(({ path }) => path), ...Object.keys(REDIRECTS), HEALTH_PATH];
  const writePaths = [...writes.map(({ path }) => path), REPORT_PATH];
  refuseOtherMethods(app, [
    ...readPaths.map((path) => ({ method: 'GET', path })),
    ...writePaths.map((path) => ({ method: 'POST', path })),
  ]);
  app.use(refuseUnknownPaths);
  app.use(createErrorHandler(context));
  return app;
}

function refuseOtherMethods(app: Express, routes: readonly { method: string; path: string }[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = [...methods.sort(), 'OPTIONS'].join(', ');
    // `app.all` would add a layer for each of the 34 methods, which takes a tenth of the time of a start.
    app.route(toExpressPath(path)).all(() => {
      throw new TransportError('method_not_allowed', `This address accepts ${allow}.`, { Allow: allow });
    });
  }
}

const refuseUnknownPaths: RequestHandler = () => {
  throw new WorkspaceError(
    'not_found',
    'There is nothing at this address; GET /llms.txt lists the calls, GET /openapi.json (110 KB) every ' +
      'address.',
  );
};

function createErrorHandler({ failureReply }: HttpContext): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const reply = failureReply(thrown, request);
    if (response.headersSent) next(thrown);
    else sendReply(response, reply);
  };
}

function createMcpRouter({ options, readDroppableCaller }: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, endpoint] of listMcpEndpoints(options)) {
    const answerMessage = createMessageHandler(endpoint);
    router.post(path, readJson, (request, response) =>
      answerMessage(request, response, request.body, readDroppableCaller(request, response)),
    );
    router.all(path, () => {
      throw new TransportError(
        'method_not_allowed',
        'This address has no stream for GET; send JSON-RPC messages with POST.',
        { Allow: 'POST, OPTIONS' },
      );
    });
  }
  return router;
}

function createToolRouter({ reads, writes, readCaller, readDroppableCaller }: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  for (const { path, answer } of reads) {
    router.get(toExpressPath(path), (request, response) => {
      // No route has a repeated parameter, so every value is a string.
      const parameters = request.params as Record<string, string>;
      return answer(request, response, parameters, readDroppableCaller(request, response));
    });
  }
  for (const { path, write } of writes) {
    router.post(toExpressPath(path), readJson, async (request, response) => {
      const args = withIdempotencyKey(request.body, request.params, request.get('Idempotency-Key'));
      sendReply(response, await write(args, readCaller(request), readQuery(request.url)));
    });
  }
  return router;
}

/** @param path with parameters in braces, as OpenAPI writes them */
function toExpressPath(path: string): string {
  return fillIn(path, (name) => `:${name}`);
}
