import type { OutgoingHttpHeaders } from 'node:http';
import { rawQuery } from '#http/guards/request-check.ts';
import { createReply, type Reply, type Route } from '#http/responses/reply.ts';
import { absoluteUrl, type Service } from '#workspace/service/service.ts';

/** Sends 301 to a URL with the query of the request, because the feeds read the query. */
export function createRedirect(
  target: string,
  service: Service<string>,
  commonHeaders: OutgoingHttpHeaders,
): Route['serve'] {
  return ({ request: { url = '' } }) => {
    const query = rawQuery(url);
    return redirect(absoluteUrl(service, target) + (query && `?${query}`), commonHeaders);
  };
}

/** Query parameters that earlier versions wrote with another name or value. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/([?&])eyes=/, '$1viewer='],
  [/([?&](?:standing|list)=)partly(?=&|$)/, '$1partlyConfirmed'],
  [/([?&]standing=)notConfirmed(?=&|$)/, '$1refuted'],
  [/([?&]list=)unreviewed(?=&|$)/, '$1toReview'],
];

/** @returns 301 to a URL with the current names; undefined if it has them, and for paths below /api/ */
export function redirectRenamed(
  url: string,
  service: Service<string>,
  commonHeaders: OutgoingHttpHeaders,
): Reply | undefined {
  if (!url.includes('?') || url.startsWith('/api/')) return undefined;
  const present = RENAMED.reduce((address, [old, name]) => address.replace(old, name), url);
  return present === url ? undefined : redirect(absoluteUrl(service, present), commonHeaders);
}

function redirect(location: string, commonHeaders: OutgoingHttpHeaders): Reply {
  return createReply(301, '', commonHeaders, {
    Location: location,
    'Cache-Control': 'public, max-age=86400',
  });
}
