import type { HttpContext } from '#http/context/http-context.ts';
import type { FastHandler } from './fast-handler.ts';

/** Serves the reads that can wait. Express would keep several kilobytes for each during the wait. */
export function createWaitHandler({ waits, readDroppableCaller, withRateLimit }: HttpContext): FastHandler {
  const routes = new Map(waits.map((route) => [route.path, route]));
  return (request, response) => {
    const { url = '' } = request;
    const end = url.indexOf('?');
    const route = routes.get(end < 0 ? url : url.slice(0, end));
    if (route === undefined) return false;
    withRateLimit(request, response, () =>
      route.answer(request, response, readDroppableCaller(request, response)),
    );
    return true;
  };
}
