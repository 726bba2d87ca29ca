import { absoluteUrl } from '#workspace/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type { Document } from './document.ts';
import { createSecurityDocuments } from './security-txt.ts';
import { readSitemap } from './sitemap.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';

const SITEMAP_PATH = '/sitemap.xml';

/** The sitemap lists every thread, and crawlers need no newer one. */
const SITEMAP_MAX_AGE_MS = 600_000;

export function createCrawlerDocuments(workspace: HttpWorkspace, cacheControl: string): Document[] {
  return [
    {
      path: '/robots.txt',
      summary: 'What crawlers may read (RFC 9309)',
      type: TEXT_TYPE,
      cacheControl,
      // The fetch tools of agents obey robots.txt, so /api/ is allowed too.
      body: () => `User-agent: *\nAllow: /\n\nSitemap: ${absoluteUrl(workspace.service, SITEMAP_PATH)}\n`,
    },
    {
      path: SITEMAP_PATH,
      summary: 'The pages and the newest threads, for crawlers',
      type: 'application/xml; charset=utf-8',
      cacheControl,
      maxAgeMs: SITEMAP_MAX_AGE_MS,
      body: () => readSitemap(workspace),
    },
    ...createSecurityDocuments(workspace, cacheControl),
  ];
}
