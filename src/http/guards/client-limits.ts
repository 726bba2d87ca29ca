import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createBodyLimit } from './body.ts';
import { createPeerResolver, type CallerResolver, type GuardLogger, type NetworkRules } from './client.ts';
import { ConnectionLimit, type ConnectionLimitOptions } from './connection-limit.ts';
import { UnreadLimit } from './unread-limit.ts';
import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import { toRetrySeconds, WorkspaceError } from '#workspace/service/errors.ts';
import { MINUTE_MS } from '#workspace/text/time.ts';

interface ClientLimits extends Pick<ConnectionLimitOptions, 'openFiles'> {
  readonly maxBytesPerClient?: number;
  readonly network: NetworkRules;
  readonly callerOf: CallerResolver;
  readonly logger: GuardLogger;
}

/**
 * Limits the connections, unread responses and incoming request bodies of each client. Must be called before
 * the listener that handles requests is added, so that `checkBody` finds what was counted.
 */
export function limitClients(
  server: Server,
  { network, callerOf, logger, openFiles, maxBytesPerClient }: ClientLimits,
): ConnectionLimit {
  const clientKeyOf = (request: IncomingMessage): string => callerOf(request).clientKey;
  let warned = false;
  const unread = new UnreadLimit(server, { clientKeyOf });
  const limitBody = createBodyLimit(clientKeyOf, maxBytesPerClient);
  const connections = new ConnectionLimit(server, {
    openFiles,
    peerOf: createPeerResolver(network),
    onRefused: () => {
      if (!warned)
        logger.warn(
          {},
          'refused a connection from a peer that has too many; if it is a proxy, see TRUSTED_PROXIES',
        );
      warned = true;
    },
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    unread.watch(request, response);
    limitBody(request, response);
    connections.recordRequest(response);
  });
  const sweep = setInterval(() => {
    unread.sweep(connections.lastResponses());
  }, 1_000).unref();
  server.once('close', () => {
    clearInterval(sweep);
  });
  return connections;
}

/**
 * Handles the pipelined requests of each connection one after the other. Node would call the listener for all
 * of them at once, and buffer every response until the previous ones have been read: one packet could request
 * a thousand large pages. A connection with too many waiting requests is closed.
 */
export function handleInOrder(listener: RequestListener, maxWaiting = 256): RequestListener {
  const pipelines = new WeakMap<Socket, { last?: ServerResponse; waiting: number }>();
  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) pipelines.set(socket, (pipeline = { waiting: 0 }));
    const { last } = pipeline;
    pipeline.last = response;
    if (last?.writableFinished !== false) {
      listener(request, response);
      return;
    }
    pipeline.waiting += 1;
    if (pipeline.waiting > maxWaiting) {
      socket.destroy();
      return;
    }
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  };
}

/**
 * Creates the limit on the requests per minute of each network, which protects the machine. Writes have
 * limits of their own. Loopback clients are exempt.
 * @param requestsPerMinute 0 for no limit
 * @param pageFiles paths that are counted separately, so that the error page gets its style sheet
 * @returns a function that returns the error of a refused request
 */
export function createRequestRateLimit(
  requestsPerMinute: number,
  callerOf: (request: IncomingMessage) => Caller,
  pageFiles: ReadonlySet<string | undefined>,
) {
  const limit = rateLimit({
    windowMs: MINUTE_MS,
    limit: requestsPerMinute,
    legacyHeaders: false,
    standardHeaders: false,
    validate: false,
    keyGenerator: (request) =>
      `${pageFiles.has(request.url) ? 'files of ' : ''}${callerOf(request).clientKey}`,
    handler: (request, _response, next) => {
      const { resetTime } = (request as Request & { rateLimit: { resetTime: Date } }).rateLimit;
      // The package sets `resetTime` from the system clock, so the clock of the workspace would not match it.
      const now = performance.timeOrigin + performance.now();
      const retryAfterSeconds = toRetrySeconds(resetTime.getTime() - now);
      next(
        new WorkspaceError(
          'rate_limited',
          `Your network has sent more than ${requestsPerMinute} requests in a minute; wait ` +
            `${retryAfterSeconds} s, and send If-None-Match to read only what has changed.`,
          { limit: 'requestsPerMinute', retryAfterSeconds },
        ),
      );
    },
  });
  return (request: IncomingMessage, response: ServerResponse): Promise<Error | undefined> | undefined => {
    if (requestsPerMinute === 0 || callerOf(request).clientKey === LOOPBACK_CLIENT) return undefined;
    return new Promise((resolve) => {
      void limit(request as Request, response as Response, (error) => {
        resolve(error as Error | undefined);
      });
    });
  };
}
