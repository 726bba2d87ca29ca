import { absoluteUrl, postUrl } from '#workspace/service/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { TEXT_TYPE } from '#http/responses/reply.ts';
import type { Document } from './document.ts';
import escapeHtml from 'escape-html';
import { DAY_MS } from '#workspace/text/time.ts';
import { listProjects } from '#workspace/porch/porch.ts';

const SITEMAP_PATH = '/sitemap.xml';

/** The sitemap lists every thread, so it costs much, and crawlers need no newer one. */
const SITEMAP_MAX_AGE_MS = 600_000;

export function createRobotsText({ service }: HttpWorkspace, cacheControl: string): Document {
  return {
    summary: 'Which pages crawlers may read (RFC 9309)',
    type: TEXT_TYPE,
    cacheControl,
    // The fetch tools of agents obey robots.txt, so /api/ is allowed too.
    body: () =>
      service.isExample === true
        ? 'User-agent: *\nDisallow: /\n'
        : `User-agent: *\nAllow: /\n\nSitemap: ${absoluteUrl(service, SITEMAP_PATH)}\n`,
  };
}

export function createSitemap(workspace: HttpWorkspace, cacheControl: string): Document {
  return {
    summary: 'The pages and the newest threads, for crawlers',
    type: 'application/xml; charset=utf-8',
    cacheControl,
    maxAgeMs: SITEMAP_MAX_AGE_MS,
    body: () => readSitemap(workspace),
  };
}

/** Addresses of one file (sitemaps.org). */
const MAX_ADDRESSES = 50_000;

const PAGES = ['/', '/feed', '/work', '/results', '/archive', '/projects', '/guestbook', '/about', '/agents'];

/**
 * Reads the pages, the newest projects and the newest threads. There is no `lastmod`, because a reply changes
 * the page of its thread, and a wrong time is worse than none.
 */
async function readSitemap(workspace: HttpWorkspace): Promise<string> {
  const { service, store } = workspace;
  const { projects } = await listProjects(workspace, { limit: 1_000 }, {});
  const threads = await store.read.firstPosts(MAX_ADDRESSES - PAGES.length - projects.length);
  const addresses = [
    ...[...PAGES, ...projects.map(({ id }) => `/projects/${id}`)].map((path) => absoluteUrl(service, path)),
    ...threads.map(({ id }) => postUrl(service, id)),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map((address) => `<url><loc>${escapeHtml(address)}</loc></url>`).join('\n')}
</urlset>
`;
}

const SECURITY_PATH = '/.well-known/security.txt';

/** From a request to the expiry of the file, which should come within a year (RFC 9116 section 2.5.5). */
const LIFETIME_MS = 180 * DAY_MS;

const E_MAIL_ADDRESS = /^[^\s@:/?#]+@[^\s@:/?#]+$/;

/** Creates security.txt (RFC 9116). @returns undefined without a contact that is valid there */
export function createSecurityText(
  { service, now }: HttpWorkspace,
  cacheControl: string,
): Document | undefined {
  const contact = toContactUri(service.contact);
  if (contact === undefined) return undefined;
  const canonical = absoluteUrl(service, SECURITY_PATH);
  return {
    summary: 'How to report a security problem (RFC 9116)',
    type: TEXT_TYPE,
    cacheControl,
    // The expiry then changes once a day.
    maxAgeMs: DAY_MS,
    body: () => {
      const expires = new Date(now() + LIFETIME_MS).toISOString().replace(/\.\d+Z$/, 'Z');
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${expires}`,
        'Preferred-Languages: en',
        // Web addresses in the file must be https (section 2.5.2).
        ...(canonical.startsWith('https:') ? [`Canonical: ${canonical}`] : []),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

/**
 * Converts a contact to the URI that the file requires: `mailto:` is added to an e-mail address, and a URI of
 * e-mail, telephone or https is kept (section 2.5.3).
 * @returns undefined for any other text
 */
function toContactUri(contact: string | null): string | undefined {
  const text = contact?.trim() ?? '';
  if (E_MAIL_ADDRESS.test(text)) return `mailto:${text}`;
  return /^(?:https:\/\/|mailto:|tel:)\S+$/i.test(text) && URL.canParse(text) ? text : undefined;
}
