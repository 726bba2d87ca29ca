import type { IncomingMessage, RequestListener } from 'node:http';
import cors from 'cors';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { fillIn, routeOf } from '#tool/route.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import { bridgeOf } from './bridge.ts';
import { callerOf } from './caller.ts';
import { documentsOf, libraryOf } from './documents.ts';
import { FastCalls } from './fast-calls.ts';
import { FastReads } from './fast-reads.ts';
import { countersOf, FastWrites } from './fast-writes.ts';
import { headersSetBy } from './fixed-headers.ts';
import { healthOf } from './health.ts';
import type { House } from './house.ts';
import { isMcp, MCP_PATH, mcpDoorOf, mcpGateOf, toRpcError } from './mcp-door.ts';
import { PAGE_POLICY } from './pages.ts';
import { tell, toKnownError, TransportError } from './problem.ts';
import { shieldOf } from './shield.ts';

const MOST_URL_CHARACTERS = 8000;
const RETRY_WHEN_STOPPING_SECONDS = 5;

const EXPOSED = [
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
];

/** A page of any origin may read any answer, refusals too; who may use /mcp is for its gate to say. */
const openToEveryOrigin = cors({
  origin: '*',
  methods: ['GET', 'HEAD', 'POST'],
  exposedHeaders: EXPOSED,
  maxAge: 600,
});

/** The whole HTTP house: the bridge, the documents, MCP behind its door, and one answer for every failure. */
export function createApp(house: House): RequestListener {
  const { workspace, stopping } = house;
  const app = express();
  app.disable('x-powered-by').set('etag', false).set('query parser', false).enable('case sensitive routing');
  const caller = callerOf(house.network, house.log);
  const documents = documentsOf(house);
  const shield = shieldOf(workspace.protocol().limits.requestsPerMinute, caller);
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  const desk = { revision: () => workspace.revision(), stopping, shield, caller };
  const [fast, fastCalls] = [new FastReads(desk), new FastCalls(desk, house.tools)];
  const fastWrites = new FastWrites(desk, countersOf(house), headersSetBy(secure, openToEveryOrigin));
  /** What was thrown in front of Express, to be told by it. */
  const failures = new WeakMap<IncomingMessage, unknown>();

  app.use(secure);
  app.use(mcpGateOf(house));
  app.use((request, response, next) => {
    if (isMcp(request)) next();
    else openToEveryOrigin(request, response, next);
  });
  app.use((request, _response, next) => {
    next(failures.get(request));
  });
  app.use(refuseAtOnce(house));
  app.use(shield);
  app.use(mcpDoorOf(house, caller, fastCalls));
  app.use(bridgeOf(house, caller, fast));
  app.use(libraryOf(documents, house, fast));
  app.get('/healthz', healthOf(house));
  refuseOtherMethods(app, [
    ...house.tools.map((tool) => routeOf(tool)),
    ...[...documents, { path: '/healthz' }].map(({ path }) => ({ method: 'GET', path })),
  ]);
  app.use(refuseUnknownPaths);
  app.use(tellFailure(house));
  return (request, response) => {
    const inFront = request.method !== 'POST' ? fast : request.url === MCP_PATH ? fastCalls : fastWrites;
    const next = (failure?: unknown): void => {
      if (failure !== undefined) failures.set(request, failure);
      app(request, response);
    };
    try {
      inFront.answer(request, response, next);
    } catch (failure) {
      next(failure);
    }
  };
}

function refuseAtOnce({ stopping }: House): RequestHandler {
  return (request, _response, next) => {
    if (stopping()) {
      throw new TransportError('shutting_down', 'The service is going down; try again in a moment.', {
        'Retry-After': String(RETRY_WHEN_STOPPING_SECONDS),
        Connection: 'close',
      });
    }
    if (request.url.length > MOST_URL_CHARACTERS) {
      throw new TransportError(
        'uri_too_long',
        `The address is longer than ${MOST_URL_CHARACTERS} characters; shorten it.`,
      );
    }
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw new TransportError('malformed_json', 'This HTTP/1.1 request has no Host header; send one.');
    }
    // The router decodes parameters only, and would find nothing at the rest.
    decodeURIComponent(request.path);
    next();
  };
}

function refuseOtherMethods(app: Express, routes: readonly { method: string; path: string }[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = [...methods.sort(), 'OPTIONS'].join(', ');
    app.all(
      fillIn(path, (name) => `:${name}`),
      () => {
        throw new TransportError('method_not_allowed', `This address takes ${allow}.`, { Allow: allow });
      },
    );
  }
}

const refuseUnknownPaths: RequestHandler = () => {
  throw new WorkspaceError(
    'not_found',
    'There is nothing at this address; GET /api/protocol lists what there is.',
  );
};

function tellFailure({ log, newReference }: House): ErrorRequestHandler {
  return (thrown: unknown, request: Request, response: Response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = toKnownError(thrown);
    const reference = newReference();
    if (error.cause !== undefined) log.error({ reference, err: error.cause }, 'a request failed');
    const { problem, headers } = tell(error, reference);
    response.status(problem.status).set(headers).set('Cache-Control', 'no-store').removeHeader('ETag');
    const [type, body] = isMcp(request)
      ? ['application/json', toRpcError(error, problem)]
      : ['application/problem+json', problem];
    response.type(type).send(JSON.stringify(body));
  };
}
