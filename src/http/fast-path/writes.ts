import type { IncomingHttpHeaders } from 'node:http';
import { MAX_BODY_BYTES } from '#http/guards/body-limit.ts';
import { parseJson, readBody } from '#http/json-body.ts';
import type { HttpContext } from '#http/http-context.ts';
import { sendReply } from '#http/responses/reply.ts';
import { NO_QUERY, withIdempotencyKey } from '#http/rest/tool-arguments.ts';
import { settle } from '#tool/maybe-promise.ts';
import type { FastHandler } from './fast-handler.ts';

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** Whether the headers announce unencoded JSON of a known length of at most `maxBytes`. */
export function hasPlainJsonBody(headers: IncomingHttpHeaders, maxBytes: number): boolean {
  return (
    JSON_TYPES.has(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= maxBytes
  );
}

/** Serves writes whose path has no parameters. */
export function createWriteHandler({
  writes,
  commonHeaders,
  callerOf,
  withRateLimit,
  sendFailure,
}: HttpContext): FastHandler {
  const routes = new Map(
    writes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]),
  );
  return (request, response) => {
    const route = routes.get(request.url ?? '');
    if (route === undefined || !hasPlainJsonBody(request.headers, MAX_BODY_BYTES)) return false;
    const failed = (error: unknown): void => {
      sendFailure(request, response, error);
    };
    withRateLimit(request, response, () => {
      const caller = callerOf(request);
      readBody(
        request,
        (bytes) => {
          settle(
            () => {
              const key = request.headers['idempotency-key'];
              // Node joins a header that is sent twice, so the value is one string.
              const args = withIdempotencyKey(parseJson(bytes), {}, key as string | undefined);
              return route.write(args, caller, NO_QUERY);
            },
            (reply) => {
              sendReply(response, reply, commonHeaders);
            },
            failed,
          );
        },
        failed,
      );
    });
    return true;
  };
}
