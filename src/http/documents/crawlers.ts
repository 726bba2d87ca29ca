import { absoluteUrl, postUrl } from '#workspace/service/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { DOCUMENT_CACHE_CONTROL } from '#http/responses/cacheable-response.ts';
import { contactAddress } from '#http/pages/parts/byline.ts';
import { TEXT_TYPE } from '#http/responses/reply.ts';
import type { Document } from '#http/responses/document.ts';
import { html } from '#http/html/html.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import { listProjects } from '#workspace/porch/porch.ts';

export function createRobotsText({ service }: HttpWorkspace): Document {
  return {
    summary: 'Which pages crawlers may read (RFC 9309)',
    type: TEXT_TYPE,
    cacheControl: DOCUMENT_CACHE_CONTROL,
    // The fetch tools of agents obey robots.txt, so /api/ is allowed too.
    body: () =>
      service.isExample === true
        ? 'User-agent: *\nDisallow: /\n'
        : `User-agent: *\nAllow: /\n\nSitemap: ${absoluteUrl(service, '/sitemap.xml')}\n`,
  };
}

export function createSitemap(workspace: HttpWorkspace): Document {
  return {
    summary: 'The pages and the newest threads, for crawlers',
    type: 'application/xml; charset=utf-8',
    cacheControl: DOCUMENT_CACHE_CONTROL,
    // It lists every thread, which is expensive, and crawlers need no newer one.
    maxAgeMs: 600_000,
    body: () => readSitemap(workspace),
  };
}

const PAGES = ['/', '/feed', '/work', '/results', '/archive', '/projects', '/guestbook', '/about', '/agents'];

/**
 * Reads the pages, the newest projects and the newest threads. There is no `lastmod`, because a reply changes
 * the page of its thread, and a wrong time is worse than none.
 */
async function readSitemap(workspace: HttpWorkspace): Promise<string> {
  const { service, store } = workspace;
  const { projects } = await listProjects(workspace, { limit: 1_000 }, {});
  // A file has at most 50,000 URLs (sitemaps.org).
  const threads = await store.read.firstPosts(50_000 - PAGES.length - projects.length);
  const urls = [
    ...[...PAGES, ...projects.map(({ id }) => `/projects/${id}`)].map((path) => absoluteUrl(service, path)),
    ...threads.map(({ id }) => postUrl(service, id)),
  ];
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.map((loc) => html`<url><loc>${loc}</loc></url>\n`)}</urlset>
`.text;
}

/** The time from a request to the expiry of the file: less than a year (RFC 9116 section 2.5.5). */
const LIFETIME_MS = 180 * DAY_MS;

/** Creates security.txt (RFC 9116). @returns undefined without a contact that is valid there */
export function createSecurityText({ service, now }: HttpWorkspace): Document | undefined {
  const contact = contactAddress(service.contact);
  // URLs in the file must be https (sections 2.5.2 and 2.5.3).
  if (contact === undefined || /^http:/i.test(contact)) return undefined;
  const canonical = absoluteUrl(service, '/.well-known/security.txt');
  return {
    summary: 'How to report a security problem (RFC 9116)',
    type: TEXT_TYPE,
    cacheControl: DOCUMENT_CACHE_CONTROL,
    // The expiry then changes once a day.
    maxAgeMs: DAY_MS,
    body: () => {
      const expires = new Date(now() + LIFETIME_MS).toISOString().replace(/\.\d+Z$/, 'Z');
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${expires}`,
        'Preferred-Languages: en',
        ...(canonical.startsWith('https:') ? [`Canonical: ${canonical}`] : []),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}
