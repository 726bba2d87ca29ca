import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import helmet from 'helmet';
import { isAllowedOrigin, isMcpPath, MCP_PATH, type AccessPolicy } from './guards/access.ts';

/** The Content-Security-Policy. It allows this service's style sheet, images and forms, and no script. */
const PAGE_POLICY = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

export interface CommonHeaders {
  /** Sets the common headers in Express, where the CORS headers depend on the request. */
  readonly middleware: readonly HeaderMiddleware[];
  /** The headers that the middleware sets for a request without an Origin. */
  readonly headers: OutgoingHttpHeaders;
  /** The headers of the MCP endpoints, where the CORS headers differ. */
  readonly mcpHeaders: OutgoingHttpHeaders;
}

/** Creates the headers of every response: security headers and CORS headers. */
export function createCommonHeaders(accessPolicy: AccessPolicy): CommonHeaders {
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    crossOriginResourcePolicy: { policy: accessPolicy.isLocal ? 'same-origin' : 'cross-origin' },
    strictTransportSecurity: false,
  });
  const middleware = [secure, createCorsHeaders(accessPolicy)];
  const headers = record('GET', '/', middleware);
  return { middleware, headers, mcpHeaders: record('POST', MCP_PATH, middleware) };
}

/** Records header names in their original case, because `getHeaders()` returns them in lower case. */
class RecordingResponse extends ServerResponse {
  readonly recorded: OutgoingHttpHeaders = {};

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.recorded[name] = typeof value === 'object' ? [...value] : value;
    return super.setHeader(name, value);
  }
}

/** Records the headers that middleware sets for a request without headers, in their order. */
function record(method: string, url: string, middleware: readonly HeaderMiddleware[]): OutgoingHttpHeaders {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  const response = new RecordingResponse(request);
  for (const handle of middleware) handle(request, response, () => undefined);
  return response.recorded;
}

/** Middleware that only sets headers, and runs without Express. */
export type HeaderMiddleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const EXPOSED =
  'ETag,Link,Location,Retry-After,RateLimit,RateLimit-Policy,Idempotency-Replayed,Ignored-Parameters';

/**
 * Creates the CORS headers. Pages of any origin may read; on a loopback address only pages of allowed
 * origins. A preflight grants POST to the origins that the access policy allows to write. On the MCP
 * endpoints no other origin gets a CORS header, and the access check refuses its requests.
 */
function createCorsHeaders(accessPolicy: AccessPolicy): HeaderMiddleware {
  // Browsers reuse a preflight for ten minutes.
  const shared = { maxAge: 600, preflightContinue: true };
  const exposedHeaders = 'Retry-After,Mcp-Protocol-Version';
  const mcpOptions = { ...shared, origin: true, methods: ['POST'], exposedHeaders };
  const [readers, writers] = accessPolicy.isLocal ? [[], true] : ['*', '*'];
  const readOptions = { ...shared, origin: readers, methods: ['GET', 'HEAD'], exposedHeaders: EXPOSED };
  const writeOptions = { ...readOptions, origin: writers, methods: ['GET', 'HEAD', 'POST'] };
  return cors((request: IncomingMessage, done) => {
    const { origin } = request.headers;
    const isAllowed = isAllowedOrigin(accessPolicy, origin);
    if (!isMcpPath(request.url ?? '')) done(null, isAllowed ? writeOptions : readOptions);
    else
      done(null, isAllowed || origin === undefined ? mcpOptions : { origin: false, preflightContinue: true });
  });
}
