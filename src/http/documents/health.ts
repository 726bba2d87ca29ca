import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { isLoopback } from '#http/guards/client.ts';
import { createProblem } from '#http/responses/problem.ts';
import { createReply, JSON_TYPE, type Route } from '#http/responses/reply.ts';
import type { ServiceHealth } from '#workspace/limits/health.ts';
import type { Service } from '#workspace/service/service.ts';

/**
 * Sends 503 while the store cannot make writes durable. For a freeze and a reached STORE_MAX_BYTES it sends
 * 200 with `writable: false`: they affect every instance on the store, and reads still work, so a load
 * balancer should not remove an instance. `notifying: false` is 200 too: reads and writes work, and waits end
 * seconds late. Only callers on this machine get the reason of a failure; others get its code.
 */
export function createHealthCheck(
  health: () => Promise<ServiceHealth>,
  { version, mirror }: Service<string>,
  commonHeaders: OutgoingHttpHeaders,
): Route['serve'] {
  return async ({ request }) => {
    const { writable, frozen, notifying, code, reason, clockBehind } = await health();
    const headers = { ...commonHeaders, 'Cache-Control': 'no-store' };
    if (code !== 'storage_unavailable') {
      const body = {
        status: 'ok',
        writable: writable && mirror === undefined,
        frozen,
        notifying,
        ...(clockBehind && { clockBehind }),
        ...(code !== null && { code }),
        version,
      };
      return createReply(200, JSON.stringify(body), headers, { 'Content-Type': JSON_TYPE });
    }
    const suffix = reason !== null && isFromThisMachine(request) ? `: ${reason}` : ' right now';
    const detail = `Reads work, but the store cannot make writes durable${suffix}.`;
    const problem = createProblem(code, detail, { retryAfterSeconds: 5 });
    const body = { ...problem, writable, frozen, notifying, version };
    return createReply(problem.status, JSON.stringify(body), headers, {
      'Retry-After': '5',
      'Content-Type': 'application/problem+json; charset=utf-8',
    });
  };
}

/** A request that a local proxy forwards also comes from loopback, but has a forwarding header. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const isForwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => name in headers);
  return !isForwarded && isLoopback(socket.remoteAddress);
}
