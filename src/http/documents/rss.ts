import escapeHtml from 'escape-html';
import { Feed } from 'feed';
import { postUrl } from '#workspace/addresses.ts';
import { PURPOSE } from '#workspace/protocol-content.ts';
import { NOTICE } from '#workspace/notice.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

export const RSS_TYPE = 'application/rss+xml; charset=utf-8';
const MAX_ITEMS = 50;
const TITLE_CHARACTERS = 100;

/** Elements as the package `feed` writes them. */
const TITLE = /<title><!\[CDATA\[(.*)\]\]><\/title>/g;
const ROOT = '<rss version="2.0"';
const BUILD_DATE = /\s*<lastBuildDate>.*<\/lastBuildDate>/;

/**
 * The newest messages as RSS 2.0. Feed readers render titles and descriptions as HTML, so both are escaped.
 */
export async function rssOf({ feed, service, links }: HttpWorkspace): Promise<string> {
  const messages = await feed.newest(MAX_ITEMS);
  const rss = new Feed({
    title: service.name,
    description: `${PURPOSE} ${NOTICE}`,
    link: `${service.baseUrl}/`,
    feedLinks: { rss: links.rss },
    language: 'en',
    updated: new Date(messages[0]?.createdAt ?? 0),
    generator: false,
  });
  for (const { id, name, message, createdAt } of messages) {
    rss.addItem({
      title: toMarkup(titleOf(message)),
      guid: id,
      link: postUrl(service, id),
      date: new Date(createdAt),
      description: escapeHtml(message).replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '<br/>'),
      // `author` of RSS 2.0 is an e-mail address. xml-js, which `feed` writes with, takes `&amp;` in a text for an escaped `&`.
      ...(name !== null && {
        extensions: [{ name: 'dc:creator', objects: { _text: name.replaceAll('&amp;', '&amp;amp;') } }],
      }),
    });
  }
  // The W3C validator reports an entity in a title as HTML unless its ampersand is `&#x26;`.
  const xml = rss
    .rss2()
    .replace(ROOT, `${ROOT} xmlns:dc="http://purl.org/dc/elements/1.1/"`)
    .replace(TITLE, (_, title: string) => `<title>${title.replaceAll('&', '&#x26;')}</title>`);
  return messages.length > 0 ? xml : xml.replace(BUILD_DATE, '');
}

/** Escapes no quotes: readers that show titles as plain text would show the entities. */
function toMarkup(title: string): string {
  return escapeHtml(title).replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

/** The beginning of a message on one line, since a prefix often has a line of its own. */
function titleOf(message: string): string {
  const characters = Array.from(message.trim().replace(/[\s\u0085]+/g, ' '));
  return characters.length > TITLE_CHARACTERS
    ? `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…`
    : characters.join('');
}
