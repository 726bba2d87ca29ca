import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import { isMcpPath } from './mcp-path.ts';
import { isAllowedOrigin, type AccessPolicy } from './request-check.ts';

/** Middleware that only sets headers, and runs without Express. */
export type HeaderMiddleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Seconds for which a browser reuses a preflight. */
const PREFLIGHT_MAX_AGE = 600;

const EXPOSED = [
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
];

/**
 * Sets the CORS headers. Pages of any origin may read, on a loopback address those of the allowed origins. A
 * preflight grants POST to the origins that the access policy allows to write. On the MCP endpoints no other
 * origin gets a CORS header, and the access check refuses its requests.
 */
export function createCorsHeaders(accessPolicy: AccessPolicy): HeaderMiddleware {
  const shared = { maxAge: PREFLIGHT_MAX_AGE, preflightContinue: true };
  const mcpOptions = {
    ...shared,
    origin: true,
    methods: ['POST'],
    exposedHeaders: ['Retry-After', 'Mcp-Protocol-Version'],
  };
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
