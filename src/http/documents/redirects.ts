import type { OutgoingHttpHeaders } from 'node:http';
import { createReply, type Route } from '#http/responses/reply.ts';
import { absoluteUrl, type Service } from '#workspace/service/service.ts';

const CACHE_CONTROL = 'public, max-age=86400';

/** Sends 301 to an address with the query of the request, since the feeds read it. */
export function createRedirect(
  target: string,
  service: Service<string>,
  commonHeaders: OutgoingHttpHeaders,
): Route['serve'] {
  return ({ request: { url = '' } }) => {
    const start = url.indexOf('?');
    const location = absoluteUrl(service, target) + (start < 0 ? '' : url.slice(start));
    return createReply(301, '', commonHeaders, { Location: location, 'Cache-Control': CACHE_CONTROL });
  };
}
