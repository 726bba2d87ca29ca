import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { routeOf } from '#tool/route.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import { createDispatcher } from './fast-path/dispatch.ts';
import { answerPreflight } from './guards/cors-headers.ts';
import { createHealthHandler } from './documents/health.ts';
import type { HttpAppOptions } from './app-options.ts';
import { createHttpContext, type HttpContext } from './http-context.ts';
import { createMcpRouter } from './mcp/mcp-router.ts';
import { TransportError } from './problem.ts';
import { sendReply } from './responses/reply.ts';
import { createToolRouter, toExpressPath } from './rest/tool-router.ts';

/** The whole HTTP service: the fast path, and Express behind it. */
export function createApp(options: HttpAppOptions): RequestListener {
  const context = createHttpContext(options);
  return createDispatcher(context, createExpressApp(context));
}

/** Answers every request, with the same bytes as the fast path where that answers too. */
export function createExpressApp(context: HttpContext): Express {
  const { options, documents, reads, writes, headerMiddleware, countRequest, refusal, caller } = context;
  const app = express();
  app.disable('x-powered-by').set('etag', false).set('query parser', false).enable('case sensitive routing');
  app.use(...headerMiddleware);
  // Everything counts, refusals and preflights too.
  app.use(countRequest);
  app.use((request, _response, next) => {
    next(refusal(request));
  });
  app.use(answerPreflight);
  app.use(checkPathEncoding);
  app.use(createMcpRouter(options, caller));
  app.use(createToolRouter(reads, writes, caller));
  app.get('/healthz', createHealthHandler(options));
  refuseOtherMethods(app, [
    ...options.tools.map((tool) => routeOf(tool)),
    ...[...documents, { path: '/healthz' }].map(({ path }) => ({ method: 'GET', path })),
  ]);
  app.use(refuseUnknownPaths);
  app.use(createErrorHandler(context));
  return app;
}

/** The router decodes parameters only, and would answer 404 for the rest. */
const checkPathEncoding: RequestHandler = (request, _response, next) => {
  decodeURIComponent(request.path);
  next();
};

function refuseOtherMethods(app: Express, routes: readonly { method: string; path: string }[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = [...methods.sort(), 'OPTIONS'].join(', ');
    app.all(toExpressPath(path), () => {
      throw new TransportError('method_not_allowed', `This address takes ${allow}.`, { Allow: allow });
    });
  }
}

const refuseUnknownPaths: RequestHandler = () => {
  throw new WorkspaceError(
    'not_found',
    'There is nothing at this address; GET /api/protocol lists what there is.',
  );
};

function createErrorHandler({ failureReply }: HttpContext): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const reply = failureReply(thrown, request.url);
    if (response.headersSent) next(thrown);
    else sendReply(response, reply);
  };
}
