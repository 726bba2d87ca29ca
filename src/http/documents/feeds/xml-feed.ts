import { Feed, type Item } from 'feed';
import type { FeedContent, FeedEntry } from './feed-content.ts';
import { toTitleMarkup } from './title-markup.ts';

/** The title of an item as the package `feed` writes it. */
const ITEM_TITLE = /<title( type="html")?><!\[CDATA\[(.*)\]\]><\/title>/g;

/** The package closes a CDATA section at `]]>`, and begins another. */
const CDATA_SEAM = ']]]]><![CDATA[>';

/** Builds a feed with the package `feed`, which then writes it as RSS or Atom. @param more members of an item */
export function toFeed(content: FeedContent, more: (entry: FeedEntry) => Partial<Item>): Feed {
  const { title, description, selfUrl, pageUrl, publisher, entries, updatedAt } = content;
  const feed = new Feed({
    id: selfUrl,
    title: toTextNode(title),
    description,
    link: pageUrl,
    feed: selfUrl,
    language: 'en',
    author: { name: publisher },
    // Atom requires a time. RSS without a message leaves it out.
    updated: new Date(updatedAt ?? 0),
    generator: false,
  });
  for (const entry of entries) {
    feed.addItem({
      title: toTitleMarkup(entry.title),
      link: entry.url,
      date: entry.createdAt,
      content: entry.html,
      ...(entry.category !== null && { category: [{ name: entry.category, term: entry.category }] }),
      ...more(entry),
    });
  }
  return feed;
}

/** xml-js, which `feed` writes with, takes `&amp;` in a text for an escaped `&`. */
export function toTextNode(text: string): string {
  return text.replaceAll('&amp;', '&amp;amp;');
}

/**
 * Writes the titles of items without CDATA, which not every reader resolves, and with numeric references: the W3C
 * validator reports `&amp;lt;` in a title as HTML, and not `&#x26;lt;`.
 */
export function withPlainTitles(xml: string): string {
  return xml.replace(ITEM_TITLE, (_, type = '', title: string) => {
    const text = title.replaceAll(CDATA_SEAM, ']]>');
    const escaped = text.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;').replaceAll('>', '&#x3E;');
    return `<title${type}>${escaped}</title>`;
  });
}
