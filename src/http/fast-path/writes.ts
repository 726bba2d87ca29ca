import type { IncomingHttpHeaders } from 'node:http';
import { MAX_BYTES, parseJson, readAll } from '#http/json-body.ts';
import type { HttpContext } from '#http/http-context.ts';
import { sendReply } from '#http/responses/reply.ts';
import { withIdempotencyKey } from '#http/rest/tool-arguments.ts';
import { settle } from '#tool/maybe-promise.ts';
import type { FastHandler } from './fast-handler.ts';

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

/** Whether the body is JSON of a known length within the bound, as it is. */
export function hasPlainJsonBody(headers: IncomingHttpHeaders, maxBytes: number): boolean {
  return (
    JSON_TYPES.has(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= maxBytes
  );
}

/** Answers writes whose arguments are all in the body. */
export function createWriteHandler({ writes, common, caller, admit, fail }: HttpContext): FastHandler {
  const routes = new Map(
    writes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]),
  );
  return (request, response) => {
    const route = routes.get(request.url ?? '');
    if (route === undefined || !hasPlainJsonBody(request.headers, MAX_BYTES)) return false;
    const failed = (error: unknown): void => {
      fail(request, response, error);
    };
    admit(request, response, () => {
      const from = caller(request);
      readAll(
        request,
        (bytes) => {
          settle(
            () => {
              const key = request.headers['idempotency-key'];
              // Node joins a header that is sent twice, so it is one text.
              return route.write(withIdempotencyKey(parseJson(bytes), {}, key as string | undefined), from);
            },
            (reply) => {
              sendReply(response, reply, common);
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
