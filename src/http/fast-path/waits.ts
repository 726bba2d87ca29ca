import type { HttpContext } from '#http/context/http-context.ts';
import type { FastHandler } from './fast-handler.ts';

/** Serves the reads that can wait. Express would keep several kilobytes for as long as each waits. */
export function createWaitHandler({ waits, readerOf, withRateLimit }: HttpContext): FastHandler {
  const routes = new Map(waits.map((route) => [route.path, route]));
  return (request, response) => {
    const { url = '' } = request;
    const end = url.indexOf('?');
    const route = routes.get(end < 0 ? url : url.slice(0, end));
    if (route === undefined) return false;
    withRateLimit(request, response, () => route.answer(request, response, readerOf(request, response)));
    return true;
  };
}
