import type { FeedContent } from './feed-content.ts';
import { escapeTitle, toFeed, toTextNode, withPlainTitles, writeXml } from './xml-feed.ts';

const ROOT = '<feed xmlns="http://www.w3.org/2005/Atom"';

/** The id of an entry is an IRI that never changes (RFC 4287, section 4.2.6). */
const toIri = (postId: string): string => `urn:uuid:${postId.slice(postId.indexOf('_') + 1)}`;

/** An id of an entry as the package `feed` writes it. No text contains one, because texts are escaped. */
const ENTRY_ID = /<id>(urn:uuid:[0-9a-f-]+)<\/id>/g;

/** Atom (RFC 4287). A reply names the entry that it replies to (RFC 4685). */
export function toAtom(content: FeedContent): string {
  const feed = toFeed(content, ({ id, title, author, createdAt }) => ({
    title: escapeTitle(title),
    id: toIri(id),
    published: createdAt,
    author: [{ name: toTextNode(author) }],
  }));
  const parents = new Map(content.entries.map(({ id, parentId }) => [toIri(id), parentId]));
  return withPlainTitles(writeXml(feed, 'atom1'))
    .replace(ROOT, `${ROOT} xmlns:thr="http://purl.org/syndication/thread/1.0"`)
    .replaceAll(ENTRY_ID, (element, iri: string) => {
      const parentId = parents.get(iri);
      // Without an address, since that post need not be visible.
      return parentId == null ? element : `${element}\n        <thr:in-reply-to ref="${toIri(parentId)}"/>`;
    });
}
