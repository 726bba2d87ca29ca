import type { FeedContent } from './feed-content.ts';
import { escapeTitle, toFeed, toTextNode, withPlainTitles, writeXml } from './xml-feed.ts';

/** Atom (RFC 4287). The author of an entry without a name is the author of the feed: the service. */
export function toAtom(content: FeedContent): string {
  const feed = toFeed(content, ({ id, title, author, createdAt }) => ({
    title: escapeTitle(title),
    // The id of an entry is an IRI that never changes (section 4.2.6).
    id: `urn:uuid:${id.slice(id.indexOf('_') + 1)}`,
    published: createdAt,
    ...(author !== null && { author: [{ name: toTextNode(author) }] }),
  }));
  return withPlainTitles(writeXml(feed, 'atom1'));
}
