import type { RequestHandler } from 'express';
import { absoluteUrl } from '#workspace/addresses.ts';
import type { Service } from '#workspace/service.ts';

/** Addresses at which feed readers look for a feed by themselves, and where it is. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  '/rss': '/feed.xml',
  '/rss.xml': '/feed.xml',
  '/atom.xml': '/feed.atom',
};

/** A day. */
const CACHE_CONTROL = 'public, max-age=86400';

/** Sends 301 with the query as it was sent: the feeds read it. */
export function createRedirectHandler(service: Service<string>, target: string): RequestHandler {
  return ({ url }, response) => {
    const start = url.indexOf('?');
    response
      .status(301)
      .set({
        Location: absoluteUrl(service, target) + (start < 0 ? '' : url.slice(start)),
        'Cache-Control': CACHE_CONTROL,
        // Express's `end` would leave it out of the response to HEAD.
        'Content-Length': '0',
      })
      .end();
  };
}
