import { lateModule } from '#runtime/late-module.ts';
import type { Document, DocumentContent, Reading } from './document.ts';
import { DOCUMENT_PURPOSES } from '#workspace/protocol/protocol-content.ts';
import { SyndicationQuery } from '#workspace/schemas/feed-query.ts';
import {
  readFeedContent,
  readResultsContent,
  readThreadContent,
  type FeedContent,
  type FeedSource,
} from './feeds/feed-content.ts';

// The package `feed` takes a tenth of the time of a start.
const loadXml = lateModule(() => import('./feeds/xml-feed.ts'));
/** Last-Modified has whole seconds, so clients would miss a second change within one second. */
const SETTLED_MS = 1000;

/** The longest time for which a feed is cached. `lastModified` may end it sooner. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/**
 * Computes Last-Modified of a feed: the time of the newest message or of the last moderation. An import of
 * older messages does not count: a client that sends no ETag gets them with the next message.
 * @returns null for a feed without messages, and within a second after the change; the feed then expires
 */
function lastModified(
  { updatedAt, madeAt }: FeedContent,
  moderatedAt: string | null,
  expireAt: Reading['expireAt'],
): string | null {
  const [last] = [updatedAt, moderatedAt]
    .filter((at) => at !== null)
    .sort()
    .reverse();
  if (last === undefined) return null;
  const settledAt = Date.parse(last) + SETTLED_MS;
  if (madeAt >= settledAt) return last;
  expireAt(settledAt);
  return null;
}

const RESULTS_FRESH_MS = 60 * 1000;

interface FeedFormat {
  readonly type: string;
  readonly write: (content: FeedContent) => string | Promise<string>;
}

export const RSS: FeedFormat = {
  type: 'application/rss+xml; charset=utf-8',
  write: async (content) => (await loadXml()).toRss(content),
};
export const ATOM: FeedFormat = {
  type: 'application/atom+xml; charset=utf-8',
  write: async (content) => (await loadXml()).toAtom(content),
};
export const JSON_FEED: FeedFormat = { type: 'application/feed+json; charset=utf-8', write: toJsonFeed };

/**
 * Creates a feed of all messages: at most 50, fewer if they are long.
 * @param cacheControl of reads of the store
 */
export function createFeedDocument(
  path: '/feed.xml' | '/feed.atom' | '/feed.json',
  { type, write }: FeedFormat,
  source: FeedSource,
  cacheControl: string,
): Document {
  return {
    summary: DOCUMENT_PURPOSES[path],
    type,
    cacheControl,
    freshMs: FRESH_MS,
    query: SyndicationQuery,
    body: async (_, query, reading) => {
      const filter = SyndicationQuery.parse(query);
      const content = await readFeedContent(source, path, filter, reading.pause);
      if (filter.standing === undefined) return toContent(source, content, write, reading);
      // A REVIEW or time alone changes which messages the feed has, so it has no Last-Modified, only an ETag.
      reading.expireAt(content.madeAt + RESULTS_FRESH_MS);
      return write(content);
    },
  };
}

/** Creates a feed of the RESULTs that may be shown apart from their threads. @param cacheControl as above */
export function createResultsFeed(
  path: '/results.atom' | '/results.json',
  { type, write }: FeedFormat,
  source: FeedSource,
  cacheControl: string,
): Document {
  return {
    summary:
      'The RESULTs that two votes have confirmed for an hour, one a thread a day, and what ended that within a week',
    type,
    cacheControl,
    // Time alone adds to it.
    freshMs: RESULTS_FRESH_MS,
    body: async (_, _query, { pause }) => write(await readResultsContent(source, path, pause)),
  };
}

export function createThreadFeed(source: FeedSource, cacheControl: string): Document {
  const { type, write } = ATOM;
  return {
    summary: 'The newest messages of the thread of a post as Atom',
    type,
    cacheControl,
    freshMs: FRESH_MS,
    body: async ({ postId = '' }, _, reading) =>
      toContent(source, await readThreadContent(source, postId, reading.pause), write, reading),
  };
}

async function toContent(
  { workspace: { store } }: FeedSource,
  content: FeedContent,
  write: FeedFormat['write'],
  { expireAt }: Reading,
): Promise<DocumentContent> {
  const [moderation] = await store.read.moderations(1);
  return {
    text: await write(content),
    lastModified: lastModified(content, moderation?.at ?? null, expireAt),
  };
}

/** JSON Feed 1.1 (jsonfeed.org). The package `feed` writes version 1. */
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
