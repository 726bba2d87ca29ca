import type { Request, RequestHandler } from 'express';
import type { HttpAppOptions } from '#http/app-options.ts';
import { isLoopback } from '#http/guards/client-network.ts';
import { createProblem } from '#http/problem.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';

const RETRY_SECONDS = 5;

/**
 * 503 while writes cannot be made durable. A freeze and a reached STORE_MAX_BYTES are 200 with `writable: false`: they
 * hold for every instance on the store and reads go on, so that a load balancer must not take an instance out for them.
 * Callers on this machine read why the store fails; others read the code, and the log has the reason.
 */
export function createHealthHandler({
  health,
  workspace: {
    service: { version },
  },
}: HttpAppOptions): RequestHandler {
  return async (request, response) => {
    const { writable, frozen, code, reason } = await health();
    response.set('Cache-Control', 'no-store');
    if (code !== 'storage_unavailable') {
      // Express's `send` would answer `If-None-Match: *` with 304.
      const body = JSON.stringify({
        status: 'ok',
        writable,
        frozen,
        ...(code !== null && { code }),
        version,
      });
      response
        .type(JSON_TYPE)
        .set('Content-Length', String(Buffer.byteLength(body)))
        .end(body);
      return;
    }
    const why = reason !== null && isFromThisMachine(request) ? `: ${reason}` : ' right now';
    const problem = createProblem(code, `Reads are served, but writes cannot be made durable${why}.`, {
      retryAfterSeconds: RETRY_SECONDS,
    });
    response
      .status(problem.status)
      .set('Retry-After', String(RETRY_SECONDS))
      .type('application/problem+json')
      .send(JSON.stringify({ ...problem, writable, frozen, version }));
  };
}

/** A proxy on this machine connects from a loopback address too, and says for whom in a header. */
function isFromThisMachine({ socket, headers }: Request): boolean {
  const isForwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => name in headers);
  return !isForwarded && isLoopback(socket.remoteAddress);
}
