import type { OutgoingHttpHeaders } from 'node:http';
import { createReply, type Reply, type Route } from '#http/responses/reply.ts';
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

/** The present names of values that addresses had before, by query parameter. */
const RENAMED: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  standing: new Map([
    ['partly', 'partlyConfirmed'],
    ['notConfirmed', 'refuted'],
  ]),
  list: new Map([
    ['partly', 'partlyConfirmed'],
    ['unreviewed', 'toReview'],
  ]),
};

/**
 * @param known the query parameters of the address
 * @returns 301 to the same address with the present names of values; undefined if it has them
 */
export function redirectRenamed(
  url: string,
  known: object,
  service: Service<string>,
  commonHeaders: OutgoingHttpHeaders,
): Reply | undefined {
  const start = url.indexOf('?');
  if (start < 0) return undefined;
  const sent = [...new URLSearchParams(url.slice(start))];
  const renamed = sent.map(([name, value]): [string, string] => [
    name,
    (Object.hasOwn(known, name) && RENAMED[name]?.get(value)) || value,
  ]);
  if (renamed.every(([, value], index) => value === sent[index]?.[1])) return undefined;
  const location = `${absoluteUrl(service, url.slice(0, start))}?${new URLSearchParams(renamed).toString()}`;
  return createReply(301, '', commonHeaders, { Location: location, 'Cache-Control': CACHE_CONTROL });
}
