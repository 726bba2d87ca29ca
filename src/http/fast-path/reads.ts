import type { HttpContext } from '#http/context/http-context.ts';
import { sendCacheable } from '#http/responses/cacheable-response.ts';
import { chain } from '#tool/maybe-promise.ts';
import type { FastHandler } from './fast-handler.ts';
import { createReadMatcher } from './match-read.ts';

export function createReadHandler({ reads, readDroppableCaller, withRateLimit }: HttpContext): FastHandler {
  const match = createReadMatcher(reads);
  return (request, response) => {
    const found = match(request.url ?? '');
    if (found === undefined) return false;
    const { route, parameters, query } = found;
    withRateLimit(request, response, () =>
      chain(
        route.read(parameters, query, request.headers, readDroppableCaller(request, response)),
        (result) => {
          sendCacheable(request, response, result);
        },
      ),
    );
    return true;
  };
}
