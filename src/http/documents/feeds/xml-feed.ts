import { Feed, type Item } from 'feed';
import type { FeedContent, FeedEntry } from './feed-content.ts';
import escapeHtml from 'escape-html';
import { LINE_BREAKS } from '#http/html/stranger-text.ts';

/** The titles of the feed and of an item as the package `feed` writes them. */
const FEED_TITLE = /<title>[^<]*<\/title>/;
const ITEM_TITLE = /<title(?: type="html")?><!\[CDATA\[(.*)\]\]><\/title>/g;

/**
 * Creates a feed of the package `feed`, which writes it as RSS or Atom.
 * @param more returns further members of an item, with a title from `escapeTitle`
 */
function toFeed(content: FeedContent, more: (entry: FeedEntry) => Partial<Item> & Pick<Item, 'title'>): Feed {
  const { title, description, selfUrl, pageUrl, publisher, entries, updatedAt, madeAt } = content;
  const feed = new Feed({
    id: selfUrl,
    title,
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
      date: new Date(entry.at),
      content: entry.html,
      category: entry.categories.map((name) => ({ name, term: name })),
      ...more(entry),
    });
  }
  return feed;
}

/** An empty document. `feed` writes with xml-js, which keeps the last document in a module variable. */
const EMPTY = new Feed({ title: '', id: '', copyright: '' });

/**
 * Writes a feed as XML. None of its texts stays in memory, where an erase would not remove it. Every title is
 * plain text: without the CDATA sections around those of items, and without the type of Atom.
 * @param format a method of the feed
 * @param title from `escapeTitle`
 */
function writeXml(feed: Feed, format: 'rss2' | 'atom1', title: string): string {
  const xml = feed[format]();
  EMPTY.rss2();
  return xml.replace(FEED_TITLE, () => `<title>${title}</title>`).replace(ITEM_TITLE, '<title>$1</title>');
}

/** Escapes a text for xml-js, which takes `&amp;` for an escaped `&`. */
function toTextNode(text: string): string {
  return text.replaceAll('&amp;', '&amp;amp;');
}

/** Uses numeric references: the W3C validator reports `&amp;lt;` in a title as HTML, but not `&#x26;lt;`. */
function escapeTitle(title: string): string {
  return title.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;').replaceAll('>', '&#x3E;');
}

/**
 * Characters that an HTML parser reads as the beginning of a tag (HTML section 13.2.5.6) or of a character
 * reference: with a semicolon, numeric, or one of the four for markup, which need no semicolon.
 */
const MARKUP = /<(?=[a-z/!?])|&(?=#|[a-z][a-z\d]{0,40};|(?:amp|lt|gt|quot))/gi;

/**
 * Escapes the title of an RSS feed or item. Some readers show it as HTML, others as plain text, so it escapes
 * only what HTML would lose: `R&D` and `a < b` look right in all readers.
 */
export function toTitleMarkup(title: string): string {
  return title.replaceAll(MARKUP, (character) => (character === '<' ? '&lt;' : '&amp;'));
}

const BUILD_DATE = /(?<!\s)\s*<lastBuildDate>.*<\/lastBuildDate>/;

/** Writes RSS 2.0. The `description` of an item is plain text, as HTML whose only markup is line breaks. */
export function toRss(content: FeedContent): string {
  const feed = toFeed(content, ({ id, title, author, text }) => ({
    title: escapeTitle(toTitleMarkup(title)),
    guid: id,
    description: escapeHtml(text).replace(LINE_BREAKS, '<br/>'),
    // `author` of RSS 2.0 is an e-mail address.
    extensions: author === null ? [] : [{ name: 'dc:creator', objects: { _text: toTextNode(author) } }],
  }));
  const xml = writeXml(feed, 'rss2', escapeTitle(toTitleMarkup(content.title)));
  return content.updatedAt === null ? xml.replace(BUILD_DATE, '') : xml;
}

const ROOT = '<feed xmlns="http://www.w3.org/2005/Atom"';

/** Returns the id of an entry, an IRI that never changes (RFC 4287, section 4.2.6). */
const toIri = (postId: string): string => `urn:uuid:${postId.slice(postId.indexOf('_') + 1)}`;

/** The id and the time of an entry as the package `feed` writes them. Escaped texts cannot match. */
const ENTRY_HEAD = /(<id>(urn:uuid:[0-9a-f-]+)<\/id>)(\s*<link [^>]*>\s*<updated>)[^<]*/g;

/**
 * Atom (RFC 4287). A reply names the entry that it replies to (RFC 4685). The times of entries are those of
 * the store, to the microsecond: no two are equal.
 */
export function toAtom(content: FeedContent): string {
  const feed = toFeed(content, ({ id, title, author, at }) => ({
    title: escapeTitle(title),
    id: toIri(id),
    published: new Date(at),
    author: author === null ? [] : [{ name: toTextNode(author) }],
  }));
  const entries = new Map(content.entries.map((entry) => [toIri(entry.id), entry]));
  return writeXml(feed, 'atom1', escapeTitle(content.title))
    .replace(ROOT, `${ROOT} xmlns:thr="http://purl.org/syndication/thread/1.0"`)
    .replaceAll(ENTRY_HEAD, (element, id: string, iri: string, between: string) => {
      const entry = entries.get(iri);
      if (entry === undefined) return element;
      const { parentId, at } = entry;
      // It has no URL, because the parent may not be visible.
      const reply = parentId === null ? '' : `\n        <thr:in-reply-to ref="${toIri(parentId)}"/>`;
      return id + reply + between + at;
    });
}
