import type { Request, RequestHandler } from 'express';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { isLoopback } from '#http/guards/client.ts';
import { createProblem } from '#http/responses/problem.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';

export const HEALTH_PATH = '/healthz';
const RETRY_SECONDS = 5;

/**
 * Sends 503 while the store cannot make writes durable. A freeze and a reached STORE_MAX_BYTES are 200 with
 * `writable: false`, because they affect every instance on the store and reads still work, so a load balancer
 * should not remove an instance. `notifying: false` is 200 too: reads and writes work, and waits end seconds
 * late. Only callers on this machine get the reason of a failure; others get its code.
 */
export function createHealthHandler({
  health,
  workspace: {
    service: { version, mirror },
  },
}: HttpAppOptions): RequestHandler {
  return async (request, response) => {
    const { writable, frozen, notifying, code, reason } = await health();
    response.set('Cache-Control', 'no-store');
    if (code !== 'storage_unavailable') {
      // Express's `send` would respond to `If-None-Match: *` with 304.
      const body = JSON.stringify({
        status: 'ok',
        writable: writable && mirror === undefined,
        frozen,
        notifying,
        ...(code !== null && { code }),
        version,
      });
      response
        .type(JSON_TYPE)
        .set('Content-Length', String(Buffer.byteLength(body)))
        .end(body);
      return;
    }
    const suffix = reason !== null && isFromThisMachine(request) ? `: ${reason}` : ' right now';
    const problem = createProblem(code, `Reads work, but the store cannot make writes durable${suffix}.`, {
      retryAfterSeconds: RETRY_SECONDS,
    });
    response
      .status(problem.status)
      .set('Retry-After', String(RETRY_SECONDS))
      .type('application/problem+json')
      .send(JSON.stringify({ ...problem, writable, frozen, notifying, version }));
  };
}

/** A request that a local proxy forwards comes from a loopback address too, but has a forwarding header. */
function isFromThisMachine({ socket, headers }: Request): boolean {
  const isForwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => name in headers);
  return !isForwarded && isLoopback(socket.remoteAddress);
}
