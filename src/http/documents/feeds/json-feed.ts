import type { FeedContent } from './feed-content.ts';

/** JSON Feed 1.1 (jsonfeed.org). The package `feed` writes version 1. */
export function toJsonFeed({ title, description, selfUrl, pageUrl, entries }: FeedContent): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    description,
    home_page_url: pageUrl,
    feed_url: selfUrl,
    language: 'en',
    items: entries.map(({ id, url, title: itemTitle, author, categories, createdAt, text, html }) => ({
      id,
      url,
      title: itemTitle,
      content_html: html,
      content_text: text,
      date_published: createdAt,
      ...(author !== null && { authors: [{ name: author }] }),
      ...(categories.length > 0 && { tags: categories }),
    })),
  });
}
