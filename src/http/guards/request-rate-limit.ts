import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { MINUTE_MS } from '#workspace/text/time.ts';

/**
 * Limits the requests per minute of each client network, to protect the machine. The limits of publications
 * are separate. Loopback clients are exempt.
 * @param requestsPerMinute 0 for no limit
 */
export function createRequestRateLimiter(
  requestsPerMinute: number,
  readCaller: (request: IncomingMessage) => Caller,
) {
  const limit = rateLimit({
    windowMs: MINUTE_MS,
    limit: requestsPerMinute,
    legacyHeaders: false,
    standardHeaders: false,
    validate: false,
    keyGenerator: (request) => readCaller(request).clientKey,
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
            `${retryAfterSeconds} s, and send If-None-Match to read only what has changed.`,
          {
            limit: 'requestsPerMinute',
            retryAfterSeconds,
          },
        ),
      );
    },
  });
  return (request: IncomingMessage, response: ServerResponse, next: (refused?: unknown) => void): void => {
    if (requestsPerMinute === 0 || readCaller(request).clientKey === LOOPBACK_CLIENT) next();
    else void limit(request as Request, response as Response, next);
  };
}
