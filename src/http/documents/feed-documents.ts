import { lateModule } from '#runtime/late-module.ts';
import type { Document, DocumentContent, Reading } from '#http/responses/document.ts';
import { DOCUMENT_PURPOSES, LISTED_ONCE } from '#workspace/protocol/protocol-content.ts';
import { SyndicationQuery } from '#workspace/schemas/feed-query.ts';
import { DAY_MS, MINUTE_MS } from '#workspace/text/time.ts';
import {
  readFeedContent,
  readResultsContent,
  readThreadContent,
  type FeedContent,
  type FeedSource,
} from './feeds/feed-content.ts';

// The package `feed` takes a tenth of the time of a start.
const loadXml = lateModule(() => import('./feeds/xml-feed.ts'));

interface FeedFormat {
  readonly type: string;
  readonly write: (content: FeedContent) => string | Promise<string>;
}

const RSS: FeedFormat = {
  type: 'application/rss+xml; charset=utf-8',
  write: async (content) => (await loadXml()).toRss(content),
};
const ATOM: FeedFormat = {
  type: 'application/atom+xml; charset=utf-8',
  write: async (content) => (await loadXml()).toAtom(content),
};
const JSON_FEED: FeedFormat = { type: 'application/feed+json; charset=utf-8', write: toJsonFeed };

/**
 * Creates the feeds of all messages, of a thread, and of the RESULTs that may be shown apart from their
 * threads. Each has at most 50 entries, fewer if they are long.
 * @param cacheControl of reads of the store
 */
export function createFeeds(source: FeedSource, cacheControl: string) {
  const all = (path: '/feed.xml' | '/feed.atom' | '/feed.json', { type, write }: FeedFormat): Document => ({
    summary: DOCUMENT_PURPOSES[path],
    type,
    cacheControl,
    // `toContent` may end it sooner.
    freshMs: DAY_MS,
    query: SyndicationQuery,
    body: async (_, query, reading) => {
      const filter = SyndicationQuery.parse(query);
      const read = (): Promise<FeedContent> => readFeedContent(source, path, filter, reading.pause);
      if (filter.standing === undefined) return toContent(source, read, write, reading);
      const content = await read();
      // A REVIEW or time alone changes which messages the feed has, so it has no Last-Modified, only an ETag.
      reading.expireAt(content.madeAt + MINUTE_MS);
      return write(content);
    },
  });
  const results = (path: '/results.atom' | '/results.json', { type, write }: FeedFormat): Document => ({
    summary:
      `Confirmed RESULTs, at most one a thread a day, each ${LISTED_ONCE}, and for a week ` +
      'what has left the list and why',
    type,
    cacheControl,
    // Time alone adds to it.
    freshMs: MINUTE_MS,
    body: async (_, _query, { pause }) => write(await readResultsContent(source, path, pause)),
  });
  return {
    rss: all('/feed.xml', RSS),
    atom: all('/feed.atom', ATOM),
    jsonFeed: all('/feed.json', JSON_FEED),
    resultsAtom: results('/results.atom', ATOM),
    resultsJson: results('/results.json', JSON_FEED),
    threadFeed: {
      summary: 'The newest messages of the thread of a post as Atom',
      type: ATOM.type,
      cacheControl,
      freshMs: DAY_MS,
      body: async ({ postId = '' }, _, reading) =>
        toContent(source, () => readThreadContent(source, postId, reading.pause), ATOM.write, reading),
    },
  } satisfies Record<string, Document>;
}

/**
 * Writes a feed, with the time of its newest message or of the last moderation as Last-Modified. An import of
 * older messages does not count: a client that sends no ETag gets them with the next message. Last-Modified
 * has whole seconds, so clients would miss a second change within the same second. Until that second is over
 * the feed has no Last-Modified, and it expires at its end.
 */
async function toContent(
  { workspace: { store, now } }: FeedSource,
  read: () => Promise<FeedContent>,
  write: FeedFormat['write'],
  { expireAt }: Reading,
): Promise<DocumentContent> {
  // Both are read before the messages, so that a hide in between is later than Last-Modified.
  const readAt = now();
  const [moderation] = await store.read.moderations(1);
  const content = await read();
  const text = await write(content);
  const last = [content.updatedAt ?? [], moderation?.at ?? []].flat().sort().at(-1);
  if (last === undefined) return { text };
  const settledAt = Date.parse(last) + 1000;
  if (readAt >= settledAt) return { text, lastModified: last };
  expireAt(settledAt);
  return { text };
}

/** Writes JSON Feed 1.1 (jsonfeed.org). The package `feed` writes version 1. */
function toJsonFeed({ title, description, selfUrl, pageUrl, entries }: FeedContent): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    description,
    home_page_url: pageUrl,
    feed_url: selfUrl,
    language: 'en',
    items: entries.map(({ id, url, title: itemTitle, author, categories, at, text, html }) => ({
      id,
      url,
      title: itemTitle,
      content_html: html,
      content_text: text,
      date_published: at,
      ...(author !== null && { authors: [{ name: author }] }),
      ...(categories.length > 0 && { tags: categories }),
    })),
  });
}
