import { lateModule } from '#runtime/late-module.ts';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { settle, type MaybePromise } from '#tool/maybe-promise.ts';
import { fillIn, pathParameters } from '#tool/route.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { createCommonHeaders } from './common-headers.ts';
import { createFailureReply, type FailureOptions } from './failure-reply.ts';
import { isMcpPath } from '#http/guards/access.ts';
import { createRequestCheck } from './guards/request-check.ts';
import { createRequestRateLimiter } from '#http/guards/client-limits.ts';
import { sendReply, type Call, type Reply, type Route } from './responses/reply.ts';
import { PAGE_FILES } from './documents/style-sheet.ts';
import { createRoutes, type RouteOptions } from './routes.ts';

// Express makes a start a third longer.
const loadExpress = lateModule(() => import('./express-app.ts'));

export interface RequestHandlerOptions extends RouteOptions, FailureOptions {
  readonly readCaller: (request: IncomingMessage) => Caller;
  /** Whether the service is shutting down and refuses requests. */
  readonly stopping: () => boolean;
}

export interface RequestHandler {
  readonly routes: readonly Route[];
  readonly listener: RequestListener;
  readonly express: RequestListener;
}

/**
 * Creates the handler of every request. It serves by itself a request whose path has the spelling of the
 * table in `routes.ts`. Express serves the same table for every other request: preflights, requests with an
 * Origin, whose CORS headers depend on it, unusual spellings, unknown paths and other methods. Express costs
 * more than most responses (docs/performance.md). Both send the same bytes, which `npm run fuzz --
 * --differential` compares.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { workspace, accessPolicy, readCaller, stopping } = options;
  const common = createCommonHeaders(accessPolicy);
  const failureReply = createFailureReply(options);
  const routes = createRoutes(options, common, failureReply);
  const checkRequest = createRequestCheck(accessPolicy, stopping);
  const { requestsPerMinute } = workspace.limits;
  const limitRate = createRequestRateLimiter(requestsPerMinute, readCaller, PAGE_FILES);
  const find = createMatcher(routes);
  /** The errors of refused requests that Express answers. */
  const refusals = new WeakMap<IncomingMessage, unknown>();

  const sendFailure = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const reply = failureReply(
      error,
      request,
      isMcpPath(request.url ?? '') ? common.mcpHeaders : common.headers,
    );
    if (response.headersSent) response.destroy();
    else sendReply(response, reply);
  };
  const toCall = (
    request: IncomingMessage,
    response: ServerResponse,
    parameters: Call['parameters'],
  ): Call => ({
    request,
    response,
    parameters,
    caller: { clientKey: readCaller(request).clientKey, hasLeft: () => response.destroyed },
  });
  let app: RequestListener | undefined;
  const createApp = async (): Promise<RequestListener> => {
    const { createExpressApp } = await loadExpress();
    const refusalOf = (request: IncomingMessage): unknown => refusals.get(request);
    app ??= createExpressApp({ routes, middleware: common.middleware, refusalOf, toCall, failureReply });
    return app;
  };
  const express: RequestListener = (request, response) => {
    settle(
      () => app ?? createApp(),
      (listener) => {
        listener(request, response);
      },
      (error) => {
        sendFailure(request, response, error);
      },
    );
  };

  /** @param refused the error of a refused request @returns undefined if Express answers */
  const serve = (
    request: IncomingMessage,
    response: ServerResponse,
    refused: unknown,
    isPlain: boolean,
  ): MaybePromise<Reply | undefined> => {
    const match = refused === undefined ? find(request.method, request.url ?? '') : undefined;
    if (!isPlain || (refused === undefined && match === undefined)) {
      if (refused !== undefined) refusals.set(request, refused);
      express(request, response);
      return undefined;
    }
    if (match === undefined) throw refused;
    return match.route.serve(toCall(request, response, match.parameters));
  };
  /** Counts a request before anything looks into it. */
  const enter =
    (isPlain: (request: IncomingMessage) => boolean): RequestListener =>
    (request, response) => {
      const fail = (error: unknown): void => {
        sendFailure(request, response, error);
      };
      settle(
        () => {
          limitRate(request, response, (limited) => {
            settle(
              () => serve(request, response, limited ?? checkRequest(request), isPlain(request)),
              (reply) => {
                if (reply !== undefined) sendReply(response, reply);
              },
              fail,
            );
          });
        },
        () => undefined,
        fail,
      );
    };
  return {
    routes,
    express: enter(() => false),
    listener: enter(({ headers, method }) => headers.origin === undefined && method !== 'OPTIONS'),
  };
}

interface Match {
  readonly route: Route;
  readonly parameters: Call['parameters'];
}

const NO_PARAMETERS = {};

/** Characters that every URL parser and router reads alike. */
const PLAIN_PARAMETER = '([A-Za-z0-9_-]+)';

/** Creates a function that finds the route whose exact spelling a request target has. */
function createMatcher(
  routes: readonly Route[],
): (method: string | undefined, url: string) => Match | undefined {
  const [gets, posts] = [matchPath(routes, 'GET'), matchPath(routes, 'POST')];
  return (method, url) => {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    if (method === 'GET' || method === 'HEAD') return gets(path);
    return method === 'POST' ? posts(path) : undefined;
  };
}

/**
 * Creates a function that finds the first route that matches. Routes without parameters are tried first,
 * since no route with parameters matches the path of a later one without.
 */
function matchPath(all: readonly Route[], method: Route['method']): (path: string) => Match | undefined {
  const routes = all.filter((route) => route.method === method);
  const fixed = new Map<string, Match>();
  for (const route of routes.toReversed()) fixed.set(route.path, { route, parameters: NO_PARAMETERS });
  const patterns = routes
    .filter(({ path }) => path.includes('{'))
    .map((route) => ({
      route,
      names: pathParameters(route.path),
      pattern: new RegExp(`^${fillIn(route.path.replaceAll('.', '\\.'), () => PLAIN_PARAMETER)}$`),
    }));
  return (path) => {
    const match = fixed.get(path);
    if (match !== undefined) return match;
    for (const { route, names, pattern } of patterns) {
      const [, ...values] = pattern.exec(path) ?? [];
      if (values.length === 0) continue;
      const parameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return { route, parameters };
    }
    return undefined;
  };
}
