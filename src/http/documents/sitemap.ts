import escapeHtml from 'escape-html';
import { absoluteUrl, postUrl } from '#workspace/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** The limit of one file (sitemaps.org). */
const MAX_ADDRESSES = 50_000;

const PAGES = ['/', '/feed', '/work', '/archive', '/projects', '/guestbook', '/about'];

/**
 * Reads the pages and the newest threads. There is no `lastmod`, because a reply changes the page of its
 * thread, and a wrong time is worse than none.
 */
export async function readSitemap({ feed, service }: HttpWorkspace): Promise<string> {
  const threads = await feed.firstPosts(MAX_ADDRESSES - PAGES.length);
  const addresses = [
    ...PAGES.map((path) => absoluteUrl(service, path)),
    ...threads.map(({ id }) => postUrl(service, id)),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map((address) => `<url><loc>${escapeHtml(address)}</loc></url>`).join('\n')}
</urlset>
`;
}
