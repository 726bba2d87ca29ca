import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';

const MINUTE_MS = 60 * 1000;

/**
 * Keeps one address from using up the machine. Generous, and apart from the flood limits, which count what is
 * published; this machine itself is let through. 0 turns it off.
 */
export function createRequestRateLimiter(
  requestsPerMinute: number,
  caller: (request: IncomingMessage) => Caller,
) {
  const count = rateLimit({
    windowMs: MINUTE_MS,
    limit: requestsPerMinute,
    legacyHeaders: false,
    standardHeaders: false,
    validate: false,
    keyGenerator: (request) => caller(request).clientKey,
    handler: (request, _response, next) => {
      const { resetTime } = (request as Request & { rateLimit: { resetTime: Date } }).rateLimit;
      const retryAfterSeconds = Math.max(
        1,
        Math.ceil((resetTime.getTime() - performance.now() - performance.timeOrigin) / 1000),
      );
      next(
        new WorkspaceError(
          'rate_limited',
          `Your network sends more than ${requestsPerMinute} requests a minute; wait ` +
            `${retryAfterSeconds} s, and read what changed with If-None-Match instead of reading all again.`,
          {
            limit: 'requestsPerMinute',
            retryAfterSeconds,
          },
        ),
      );
    },
  });
  return (request: IncomingMessage, response: ServerResponse, next: (refused?: unknown) => void): void => {
    if (requestsPerMinute === 0 || caller(request).clientKey === LOOPBACK_CLIENT) next();
    else void count(request as Request, response as Response, next);
  };
}
