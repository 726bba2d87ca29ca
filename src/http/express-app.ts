import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { fillIn } from '#tool/route.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { isMcpPath } from '#http/guards/access.ts';
import { checkPathEncoding } from '#http/guards/request-check.ts';
import type { HeaderMiddleware } from './common-headers.ts';
import { TransportError, type FailureReply } from './responses/problem.ts';
import { sendReply, type Route, type ToRouteRequest } from './responses/reply.ts';

interface ExpressOptions {
  readonly routes: readonly Route[];
  /** Runs first and sets headers. */
  readonly middleware: readonly HeaderMiddleware[];
  /** @returns the error of a refused request */
  readonly refusalOf: (request: IncomingMessage) => unknown;
  readonly toRouteRequest: ToRouteRequest;
  readonly failureReply: FailureReply;
}

/** Serves the routes for requests of any spelling, method and origin. */
export function createExpressApp({
  routes,
  middleware,
  refusalOf,
  toRouteRequest,
  failureReply,
}: ExpressOptions): Express {
  const app = express();
  app.disable('x-powered-by').set('etag', false).set('query parser', false).enable('case sensitive routing');
  app.use(...middleware);
  app.use((request, _response, next) => {
    next(refusalOf(request));
  });
  app.use(respondToPreflight);
  app.use((request, _response, next) => {
    next(checkPathEncoding(request.path));
  });
  for (const { method, path, serve } of routes) {
    app[method === 'GET' ? 'get' : 'post'](toExpressPath(path), async (request, response) => {
      // No route has a repeated parameter, so every value is a string.
      const reply = await serve(toRouteRequest(request, response, request.params as Record<string, string>));
      if (reply !== undefined) sendReply(response, reply);
    });
  }
  refuseOtherMethods(app, routes);
  app.use(refuseUnknownPaths);
  // The middleware has set the common headers already.
  const sendFailure: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
    const reply = failureReply(thrown, request);
    if (response.headersSent) next(thrown);
    else sendReply(response, reply);
  };
  app.use(sendFailure);
  return app;
}

/** Responds to a CORS preflight that no earlier middleware has refused. */
const respondToPreflight: RequestHandler = (request, response, next) => {
  if (request.method === 'OPTIONS') response.status(204).set('Content-Length', '0').end();
  else next();
};

function refuseOtherMethods(app: Express, routes: readonly Route[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = [...methods.sort(), 'OPTIONS'].join(', ');
    const detail = isMcpPath(path)
      ? 'This URL has no stream for GET; send JSON-RPC messages with POST.'
      : `This URL accepts only ${allow}.`;
    // `app.all` would add a layer for each of the 34 methods, and take a tenth of the start-up time.
    app.route(toExpressPath(path)).all(() => {
      throw new TransportError('method_not_allowed', detail, { Allow: allow });
    });
  }
}

const refuseUnknownPaths: RequestHandler = () => {
  throw new WorkspaceError(
    'not_found',
    'There is nothing at this URL; GET /llms.txt lists the calls, GET /openapi.json (130 KB) every route.',
  );
};

/** @param path with parameters in braces, as OpenAPI writes them */
function toExpressPath(path: string): string {
  return fillIn(path, (name) => `:${name}`);
}
