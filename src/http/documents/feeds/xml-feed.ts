import { escapeText, html, Html } from '#http/html/html.ts';
import type { FeedContent, FeedEntry } from './feed-content.ts';

/**
 * Escapes a title with numeric references, because the W3C validator reports `&amp;lt;` in a title as HTML,
 * and not `&#x26;lt;`.
 */
const escapeTitle = (title: string): Html =>
  new Html(title.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;').replaceAll('>', '&#x3E;'));

const inCdata = (markup: string): Html =>
  new Html(`<![CDATA[${markup.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`);

/**
 * Characters that an HTML parser reads as the beginning of a tag (HTML section 13.2.5.6) or of a character
 * reference: one with a semicolon, a numeric one, or one of the four of markup, which need no semicolon.
 */
const MARKUP = /<(?=[a-z/!?])|&(?=#|[a-z][a-z\d]{0,40};|(?:amp|lt|gt|quot))/gi;

/**
 * Escapes the title of an RSS feed or item. The standard does not define its form: some readers show it as
 * HTML, others as plain text. So only characters that the former would lose are escaped: `R&D` and `a < b`
 * are right in all readers.
 */
export function toTitleMarkup(title: string): string {
  return title.replaceAll(MARKUP, (character) => (character === '<' ? '&lt;' : '&amp;'));
}

const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/g;

/** RSS 2.0. Without a message it has no build date, since it would change with each read. */
export function toRss({ title, description, selfUrl, pageUrl, entries, updatedAt }: FeedContent): string {
  const built =
    updatedAt && html`\n        <lastBuildDate>${new Date(updatedAt).toUTCString()}</lastBuildDate>`;
  return html`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
    <channel>
        <title>${escapeTitle(toTitleMarkup(title))}</title>
        <link>${pageUrl}</link>
        <description>${description}</description>${built}
        <docs>https://validator.w3.org/feed/docs/rss2.html</docs>
        <language>en</language>
        <atom:link href="${selfUrl}" rel="self" type="application/rss+xml"/>${entries.map(toItem)}
    </channel>
</rss>`.text;
}

/**
 * `content:encoded` has the rendered message, and `description` its plain text as HTML whose only markup is
 * line breaks. `author` of RSS 2.0 is an e-mail address.
 */
function toItem({ id, url, title, author, categories, at, text, html: markup }: FeedEntry): Html {
  const kinds = categories.map((name) => html`\n            <category>${name}</category>`);
  const creator = author && html`\n            <dc:creator>${author}</dc:creator>`;
  return html`
        <item>
            <title>${escapeTitle(toTitleMarkup(title))}</title>
            <link>${url}</link>
            <guid isPermaLink="false">${id}</guid>
            <pubDate>${new Date(at).toUTCString()}</pubDate>
            <description>${inCdata(escapeText(text).replace(LINE_BREAK, '<br/>'))}</description>
            <content:encoded>${inCdata(markup)}</content:encoded>${kinds}${creator}
        </item>`;
}

/** The id of an entry is an IRI that never changes (RFC 4287, section 4.2.6). */
const toIri = (postId: string): string => `urn:uuid:${postId.slice(postId.indexOf('_') + 1)}`;

/** Atom (RFC 4287), which requires a time. */
export function toAtom({ updatedAt, madeAt, ...feed }: FeedContent): string {
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">
    <id>${feed.selfUrl}</id>
    <title>${escapeTitle(feed.title)}</title>
    <updated>${new Date(updatedAt ?? madeAt).toISOString()}</updated>
    <author>
        <name>${feed.publisher}</name>
    </author>
    <link rel="alternate" href="${feed.pageUrl}"/>
    <link rel="self" href="${feed.selfUrl}"/>
    <subtitle>${feed.description}</subtitle>${feed.entries.map(toAtomEntry)}
</feed>`.text;
}

/**
 * A reply names the entry that it replies to (RFC 4685), without an address, since that post need not be
 * visible. The times of entries are those of the store, to the microsecond: no two are equal.
 */
function toAtomEntry({ id, url, title, author, categories, at, ...entry }: FeedEntry): Html {
  const reply = entry.parentId && html`\n        <thr:in-reply-to ref="${toIri(entry.parentId)}"/>`;
  const kinds = categories.map((name) => html`\n        <category label="${name}" term="${name}"/>`);
  const writer =
    author &&
    html`
        <author>
            <name>${author}</name>
        </author>`;
  return html`
    <entry>
        <title>${escapeTitle(title)}</title>
        <id>${toIri(id)}</id>${reply}
        <link href="${url}"/>
        <updated>${at}</updated>
        <content type="html">${inCdata(entry.html)}</content>${writer}${kinds}
        <published>${new Date(at).toISOString()}</published>
    </entry>`;
}
