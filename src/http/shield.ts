import type { Request, RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { LOCAL, type Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';

const MINUTE_MS = 60 * 1000;

/**
 * Keeps one address from using up the machine. Generous, and apart from the flood limits, which count what is
 * published; this machine itself is let through. 0 turns it off.
 */
export function shieldOf(requestsPerMinute: number, caller: (request: Request) => Caller): RequestHandler {
  if (requestsPerMinute === 0) return (_request, _response, next) => { next(); };
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: requestsPerMinute,
    legacyHeaders: false,
    standardHeaders: false,
    validate: false,
    keyGenerator: (request) => caller(request).visitor,
    skip: (request) => caller(request).visitor === LOCAL,
    handler: (request, _response, next) => {
      const { resetTime } = (request as Request & { rateLimit: { resetTime: Date } }).rateLimit;
      const retryAfterSeconds = Math.max(1, Math.ceil((resetTime.getTime() - performance.now() - performance.timeOrigin) / 1000));
      next(new WorkspaceError('rate_limited', `Your network sends more than ${requestsPerMinute} requests a minute; wait `
        + `${retryAfterSeconds} s, and read what changed with If-None-Match instead of reading all again.`, {
        limit: 'requestsPerMinute', retryAfterSeconds,
      }));
    },
  });
}
