import { Feed, type Item } from 'feed';
import type { FeedContent, FeedEntry } from './feed-content.ts';

/** The title of an item as the package `feed` writes it. */
const ITEM_TITLE = /<title(?: type="html")?><!\[CDATA\[(.*)\]\]><\/title>/g;

/**
 * Creates a feed of the package `feed`, which writes it as RSS or Atom.
 * @param more returns further members of an item, with a title from `escapeTitle`
 */
export function toFeed(
  content: FeedContent,
  more: (entry: FeedEntry) => Partial<Item> & Pick<Item, 'title'>,
): Feed {
  const { title, description, selfUrl, pageUrl, publisher, entries, updatedAt, madeAt } = content;
  const feed = new Feed({
    id: selfUrl,
    title: toTextNode(title),
    description,
    link: pageUrl,
    feed: selfUrl,
    language: 'en',
    author: { name: publisher },
    // Atom requires a time. RSS without a message has none.
    updated: new Date(updatedAt ?? madeAt),
    generator: false,
  });
  for (const entry of entries) {
    feed.addItem({
      link: entry.url,
      date: entry.createdAt,
      content: entry.html,
      ...(entry.category !== null && { category: [{ name: entry.category, term: entry.category }] }),
      ...more(entry),
    });
  }
  return feed;
}

/**
 * `feed` writes with xml-js, which keeps the last document in a module variable. This document contains no
 * text.
 */
const EMPTY = new Feed({ title: '', id: '', copyright: '' });

/**
 * Writes a feed as XML. None of its texts stays in memory, where an erase would not remove it.
 * @param format a method of the feed
 */
export function writeXml(feed: Feed, format: 'rss2' | 'atom1'): string {
  const xml = feed[format]();
  EMPTY.rss2();
  return xml;
}

/** Escapes a text for xml-js, which reads `&amp;` in a text as an escaped `&`. */
export function toTextNode(text: string): string {
  return text.replaceAll('&amp;', '&amp;amp;');
}

/**
 * Escapes a title with numeric references, because the W3C validator reports `&amp;lt;` in a title as HTML,
 * and not `&#x26;lt;`.
 */
export function escapeTitle(title: string): string {
  return title.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;').replaceAll('>', '&#x3E;');
}

/** Removes the CDATA sections around escaped titles, and the type of Atom, so that a title is plain text. */
export function withPlainTitles(xml: string): string {
  return xml.replace(ITEM_TITLE, '<title>$1</title>');
}
