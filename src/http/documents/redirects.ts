import type { RequestHandler } from 'express';
import { absoluteUrl, type Service } from '#workspace/service/service.ts';

/** Addresses that feed readers try, and the paths of the feeds. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  '/rss': '/feed.xml',
  '/rss.xml': '/feed.xml',
  '/atom.xml': '/feed.atom',
};

const CACHE_CONTROL = 'public, max-age=86400';

/** Sends 301 with the query of the request, which the feeds read. */
export function createRedirectHandler(service: Service<string>, target: string): RequestHandler {
  return ({ url }, response) => {
    const start = url.indexOf('?');
    response
      .status(301)
      .set({
        Location: absoluteUrl(service, target) + (start < 0 ? '' : url.slice(start)),
        'Cache-Control': CACHE_CONTROL,
        // Express's `end` would omit it from the response to HEAD.
        'Content-Length': '0',
      })
      .end();
  };
}
