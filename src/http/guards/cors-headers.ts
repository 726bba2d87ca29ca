import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import type { AccessPolicy } from '#http/app-options.ts';
import { isMcpPath } from '#http/mcp/mcp-path.ts';
import { isAllowedOrigin } from './access.ts';

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
 * Sets the headers of CORS and continues. Any page may read; a preflight grants POST to the origins that the access
 * check lets write. On /mcp the same check refuses every other origin before anything is answered.
 */
export function createCorsHeaders(accessPolicy: AccessPolicy): RequestHandler {
  const shared = { maxAge: PREFLIGHT_MAX_AGE, preflightContinue: true };
  const forMcp = {
    ...shared,
    origin: true,
    methods: ['POST'],
    exposedHeaders: ['Retry-After', 'Mcp-Protocol-Version'],
  };
  const forReaders = { ...shared, origin: '*', methods: ['GET', 'HEAD'], exposedHeaders: EXPOSED };
  const forWriters = { ...forReaders, methods: ['GET', 'HEAD', 'POST'] };
  return cors((request: Request, done) => {
    const { origin } = request.headers;
    const isAllowed = isAllowedOrigin(accessPolicy, origin);
    if (!isMcpPath(request.url)) done(null, isAllowed ? forWriters : forReaders);
    else done(null, isAllowed || origin === undefined ? forMcp : { origin: false, preflightContinue: true });
  });
}

/** Answers a preflight once nothing has refused it. */
export const answerPreflight: RequestHandler = (request, response, next) => {
  if (request.method === 'OPTIONS') response.status(204).set('Content-Length', '0').end();
  else next();
};
