import { Router } from 'express';
import { fillIn } from '#tool/route.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { readJson } from '#http/body/read-json.ts';
import { sendReply } from '#http/responses/reply.ts';
import { sendCacheable } from '#http/responses/cacheable-response.ts';
import { readQuery, rawQuery, withIdempotencyKey } from '#http/rest/tool-arguments.ts';

export function createToolRouter({
  reads,
  waits,
  writes,
  readCaller,
  readDroppableCaller,
}: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  for (const { path, read } of reads) {
    router.get(toExpressPath(path), async (request, response) => {
      // No route has a repeated parameter, so every value is a string.
      const parameters = request.params as Record<string, string>;
      const caller = readDroppableCaller(request, response);
      sendCacheable(
        request,
        response,
        await read(parameters, rawQuery(request.url), request.headers, caller),
      );
    });
  }
  for (const { path, answer } of waits) {
    router.get(toExpressPath(path), (request, response) =>
      answer(request, response, readDroppableCaller(request, response)),
    );
  }
  for (const { path, write } of writes) {
    router.post(toExpressPath(path), ...readJson, async (request, response) => {
      const args = withIdempotencyKey(request.body, request.params, request.get('Idempotency-Key'));
      sendReply(response, await write(args, readCaller(request), readQuery(request.url)));
    });
  }
  return router;
}

/** @param path with parameters in braces, as OpenAPI writes them */
export function toExpressPath(path: string): string {
  return fillIn(path, (name) => `:${name}`);
}
