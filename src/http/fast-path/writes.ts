import type { IncomingHttpHeaders } from 'node:http';
import { parseJson, readBody } from '#http/guards/body.ts';
import type { FastHandler, HttpContext } from '#http/context/http-context.ts';
import { sendReply } from '#http/responses/reply.ts';
import { withIdempotencyKey } from '#http/rest/write-routes.ts';
import { NO_QUERY } from '#http/rest/tool-arguments.ts';

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** Whether the headers announce JSON in a usual spelling. */
export function hasJsonBody(headers: IncomingHttpHeaders): boolean {
  return JSON_TYPES.has(headers['content-type'] ?? '');
}

/** Serves writes whose path has no parameters. */
export function createWriteHandler({
  writes,
  commonHeaders,
  readCaller,
  withRateLimit,
}: HttpContext): FastHandler {
  const routes = new Map(
    writes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]),
  );
  return (request, response) => {
    const route = routes.get(request.url ?? '');
    if (route === undefined || !hasJsonBody(request.headers)) return false;
    withRateLimit(request, response, async () => {
      const caller = readCaller(request);
      const body = parseJson(await readBody(request));
      // Node joins repeated headers, so the value is one string.
      const key = request.headers['idempotency-key'] as string | undefined;
      const args = withIdempotencyKey(body, {}, key);
      sendReply(response, await route.write(args, caller, NO_QUERY), commonHeaders);
    });
    return true;
  };
}
