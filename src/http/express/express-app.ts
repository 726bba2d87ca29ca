import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { WorkspaceError } from '#workspace/errors.ts';
import { respondToPreflight } from '#http/guards/cors-headers.ts';
import { checkPathEncoding } from '#http/guards/path-encoding.ts';
import { createRedirectHandler, REDIRECTS } from '#http/documents/redirects.ts';
import { createHealthHandler, HEALTH_PATH } from '#http/documents/health.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { createMcpRouter } from './mcp-router.ts';
import { REPORT_PATH } from '#http/pages/parts/byline.ts';
import { createReportForm } from './report-form.ts';
import { TransportError } from '#http/responses/problem.ts';
import { sendReply } from '#http/responses/reply.ts';
import { createToolRouter, toExpressPath } from './tool-router.ts';

/** Handles every request. A response that the fast path could also send has the same bytes. */
export function createExpressApp(context: HttpContext): Express {
  const { options, reads, waits, writes, headerMiddleware, limitRate, checkRequest } = context;
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
  app.post(REPORT_PATH, ...createReportForm(context));
  app.get(HEALTH_PATH, createHealthHandler(options));
  for (const [path, target] of Object.entries(REDIRECTS))
    app.get(path, createRedirectHandler(options.workspace.service, target));
  refuseOtherMethods(app, [
    ...[...[...waits, ...reads].map(({ path }) => path), ...Object.keys(REDIRECTS), HEALTH_PATH].map(
      (path) => ({
        method: 'GET',
        path,
      }),
    ),
    ...[...writes.map(({ path }) => path), REPORT_PATH].map((path) => ({ method: 'POST', path })),
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
    'There is nothing at this address; GET /openapi.json lists every address.',
  );
};

function createErrorHandler({ failureReply }: HttpContext): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const reply = failureReply(thrown, request);
    if (response.headersSent) next(thrown);
    else sendReply(response, reply);
  };
}
