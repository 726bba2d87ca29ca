import escapeHtml from 'escape-html';
import type { FeedContent } from './feed-content.ts';
import { toTitleMarkup } from './title-markup.ts';
import { escapeTitle, toFeed, toTextNode, withPlainTitles, writeXml } from './xml-feed.ts';

const BUILD_DATE = /\s*<lastBuildDate>.*<\/lastBuildDate>/;

const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/g;

/**
 * RSS 2.0. `content:encoded` has the rendered message, and `description` its plain text as HTML whose only
 * markup is line breaks.
 */
export function toRss(content: FeedContent): string {
  const feed = toFeed(content, ({ id, title, author, text }) => ({
    title: escapeTitle(toTitleMarkup(title)),
    guid: id,
    description: escapeHtml(text).replace(LINE_BREAK, '<br/>'),
    // `author` of RSS 2.0 is an e-mail address.
    extensions: [{ name: 'dc:creator', objects: { _text: toTextNode(author) } }],
  }));
  const xml = withPlainTitles(writeXml(feed, 'rss2'));
  return content.updatedAt === null ? xml.replace(BUILD_DATE, '') : xml;
}
