import assert from 'node:assert/strict';
import { XMLParser } from 'fast-xml-parser';
import { assertWellFormed } from './xml.ts';

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
  isArray: (name) => name === 'item' || name === 'entry' || name === 'link',
});

/** An item as a reader sees it. */
export interface ReadItem {
  id: string;
  /** Markup in RSS, plain text in the other formats. */
  title: string;
  html: string;
  /** Beside the HTML: in RSS markup of its lines. */
  text: string | undefined;
  author: string | undefined;
  category: string | undefined;
}

const text = (node: string | { '#text'?: string }): string =>
  typeof node === 'string' ? node : (node['#text'] ?? '');

/** The channel of an RSS feed. Asserts that it is well-formed. */
export function channelOf(xml: string) {
  assertWellFormed(xml);
  return parser.parse(xml).rss.channel;
}

/** The feed element of Atom. Asserts that it is well-formed. */
export function atomOf(xml: string) {
  assertWellFormed(xml);
  return parser.parse(xml).feed;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the parser returns
type XmlNode = Record<string, any>;

/** The items of the feed at a path, newest first, as a parser of its format reads them. */
export const READ_ITEMS: Record<string, (body: string) => ReadItem[]> = {
  '/feed.xml': (body) =>
    (channelOf(body).item ?? []).map((item: XmlNode) => ({
      id: text(item['guid']),
      title: text(item['title']),
      html: text(item['content:encoded']),
      text: text(item['description']),
      author: item['dc:creator'],
      category: item['category'],
    })),
  '/feed.atom': (body) =>
    (atomOf(body).entry ?? []).map((entry: XmlNode) => {
      // Plain text, which is the default.
      assert.equal(entry['title']['@_type'], undefined);
      assert.equal(entry['content']['@_type'], 'html');
      return {
        id: entry['id'],
        title: text(entry['title']),
        html: text(entry['content']),
        text: undefined,
        author: entry['author']?.name,
        category: entry['category']?.['@_term'],
      };
    }),
  '/feed.json': (body) =>
    JSON.parse(body).items.map((item: XmlNode) => ({
      id: item['id'],
      title: item['title'],
      html: item['content_html'],
      text: item['content_text'],
      author: item['authors']?.[0]!.name,
      category: item['tags']?.[0],
    })),
};

const CHARACTERS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text that a reader shows of HTML without markup but line breaks. */
export function shown(html: string): string {
  const markup = html.replaceAll('<br/>', '\n');
  assert.doesNotMatch(markup, /<[a-z/!?]/i);
  return markup.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => CHARACTERS[name]!);
}
