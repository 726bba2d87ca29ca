import { lateModule } from '#runtime/late-module.ts';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { fillIn } from '#tool/route.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { createCommonHeaders } from './common-headers.ts';
import { createFailureReply, type FailureOptions } from './failure-reply.ts';
import { isMcpPath } from '#http/guards/access.ts';
import { createRequestCheck } from './guards/request-check.ts';
import { createRequestRateLimit } from '#http/guards/client-limits.ts';
import { sendReply, type Route, type RouteRequest, type ToRouteRequest } from './responses/reply.ts';
import { PAGE_FILES } from './documents/style-sheet.ts';
import { createRoutes, type RouteOptions } from './routes.ts';

// Express makes a start a third longer.
const loadExpress = lateModule(() => import('./express-app.ts'));

export interface RequestHandlerOptions extends RouteOptions, FailureOptions {
  readonly callerOf: (request: IncomingMessage) => Caller;
  /** Whether the service is shutting down and refuses requests. */
  readonly stopping: () => boolean;
}

/**
 * Creates the handler of every request. It serves a request itself if the path is spelled as in the table of
 * `routes.ts`. For every other request Express serves the same table: preflights, requests with an Origin, on
 * which their CORS headers depend, unusual spellings, unknown paths and other methods. Express takes longer
 * than most responses (docs/performance.md). Both send the same bytes: `npm run fuzz -- --differential`
 * compares them.
 */
export function createRequestHandler(options: RequestHandlerOptions) {
  const { workspace, accessPolicy, callerOf, stopping } = options;
  const common = createCommonHeaders(accessPolicy);
  const failureReply = createFailureReply(options);
  const routes = createRoutes(options, common, failureReply);
  const checkRequest = createRequestCheck(accessPolicy, stopping);
  const { requestsPerMinute } = workspace.limits;
  const limitRate = createRequestRateLimit(requestsPerMinute, callerOf, PAGE_FILES);
  const find = createMatcher(routes);
  /** The errors of refused requests, for Express. */
  const refusals = new WeakMap<IncomingMessage, Error>();

  const sendFailure = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const headers = isMcpPath(request.url ?? '') ? common.mcpHeaders : common.headers;
    const reply = failureReply(error, request, headers);
    if (response.headersSent) response.destroy();
    else sendReply(response, reply);
  };
  const toRouteRequest: ToRouteRequest = (request, response, parameters) => ({
    request,
    response,
    parameters,
    caller: { clientKey: callerOf(request).clientKey, hasLeft: () => response.destroyed },
  });
  let app: RequestListener | undefined;
  const createApp = async (): Promise<RequestListener> => {
    const { createExpressApp } = await loadExpress();
    const refusalOf = (request: IncomingMessage): Error | undefined => refusals.get(request);
    app ??= createExpressApp({
      routes,
      middleware: common.middleware,
      refusalOf,
      toRouteRequest,
      failureReply,
    });
    return app;
  };

  const handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    isPlain: boolean,
  ): Promise<void> => {
    try {
      // A request is counted before it is checked.
      const refused = (await limitRate(request, response)) ?? checkRequest(request);
      if (isPlain && refused !== undefined) throw refused;
      const match = isPlain ? find(request) : undefined;
      if (match === undefined) {
        if (refused !== undefined) refusals.set(request, refused);
        app ??= await createApp();
        app(request, response);
        return;
      }
      const reply = await match.route.serve(toRouteRequest(request, response, match.parameters));
      if (reply !== undefined) sendReply(response, reply);
    } catch (error) {
      sendFailure(request, response, error);
    }
  };
  return {
    routes,
    listener: (
      request: IncomingMessage,
      response: ServerResponse,
      isPlain = request.headers.origin === undefined && request.method !== 'OPTIONS',
    ): void => void handle(request, response, isPlain),
  };
}

interface Match {
  readonly route: Route;
  readonly parameters: RouteRequest['parameters'];
}

/**
 * Creates a function that finds the first route whose spelling a request has exactly. It tries routes without
 * parameters first, because no route with parameters matches the path of a later one without.
 */
function createMatcher(routes: readonly Route[]): (request: IncomingMessage) => Match | undefined {
  const toTarget = ({ method, path }: Route): string => `${method} ${path}`;
  const fixed = new Map<string, Match>();
  for (const route of routes.toReversed()) fixed.set(toTarget(route), { route, parameters: {} });
  const patterns = routes
    .filter(({ path }) => path.includes('{'))
    .map((route) => {
      // All URL parsers and routers treat these characters alike.
      const source = fillIn(toTarget(route).replaceAll('.', '\\.'), (name) => `(?<${name}>[A-Za-z0-9_-]+)`);
      return { route, pattern: new RegExp(`^${source}$`) };
    });
  return ({ method = '', url = '' }) => {
    const [path = ''] = url.split('?', 1);
    const target = `${method === 'HEAD' ? 'GET' : method} ${path}`;
    const match = fixed.get(target);
    if (match !== undefined) return match;
    for (const { route, pattern } of patterns) {
      const { groups } = pattern.exec(target) ?? {};
      if (groups !== undefined) return { route, parameters: groups };
    }
    return undefined;
  };
}
