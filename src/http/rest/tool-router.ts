import { Router, type Request } from 'express';
import { fillIn } from '#tool/route.ts';
import type { Caller } from '#workspace/caller.ts';
import { readJson } from '#http/json-body.ts';
import { sendReply } from '#http/responses/reply.ts';
import { sendCacheable } from '#http/responses/cacheable-response.ts';
import type { ReadRoute } from './read-routes.ts';
import { queryOf, withIdempotencyKey } from './tool-arguments.ts';
import type { WriteRoute } from './write-routes.ts';

/** Mounts the read and write routes. */
export function createToolRouter(
  reads: readonly ReadRoute[],
  writes: readonly WriteRoute[],
  callerOf: (request: Request) => Caller,
): Router {
  const router = Router({ caseSensitive: true });
  for (const { path, read } of reads) {
    router.get(toExpressPath(path), async (request, response) => {
      // No route has a repeated parameter, so every value is a string.
      const parameters = request.params as Record<string, string>;
      sendCacheable(request, response, await read(parameters, queryOf(request.url), request.headers.accept));
    });
  }
  for (const { path, write } of writes) {
    router.post(toExpressPath(path), ...readJson, async (request, response) => {
      const args = withIdempotencyKey(request.body, request.params, request.get('Idempotency-Key'));
      sendReply(response, await write(args, callerOf(request), queryOf(request.url)));
    });
  }
  return router;
}

/** @param path with parameters in braces, as OpenAPI writes them */
export function toExpressPath(path: string): string {
  return fillIn(path, (name) => `:${name}`);
}
