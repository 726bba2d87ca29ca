import type { Document, Reading } from './document.ts';
import { DOCUMENT_PURPOSES } from '#workspace/protocol/protocol-content.ts';
import { FeedSelection } from '#workspace/schemas/feed-query.ts';
import {
  readFeedContent,
  readThreadContent,
  type FeedContent,
  type FeedSource,
} from './feeds/feed-content.ts';

type WriteFeed = (content: FeedContent) => Promise<string>;

// Loaded with the first feed that needs it, because the package `feed` takes a tenth of the time of a start.
const writeRss: WriteFeed = async (content) => (await import('./feeds/xml-feed.ts')).toRss(content);
const writeAtom: WriteFeed = async (content) => (await import('./feeds/xml-feed.ts')).toAtom(content);
const writeJsonFeed: WriteFeed = async (content) =>
  (await import('./feeds/json-feed.ts')).toJsonFeed(content);

const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

const FORMATS = [
  {
    path: '/feed.xml',
    summary: DOCUMENT_PURPOSES['/feed.xml'],
    type: 'application/rss+xml; charset=utf-8',
    write: writeRss,
  },
  { path: '/feed.atom', summary: DOCUMENT_PURPOSES['/feed.atom'], type: ATOM_TYPE, write: writeAtom },
  {
    path: '/feed.json',
    summary: DOCUMENT_PURPOSES['/feed.json'],
    type: 'application/feed+json; charset=utf-8',
    write: writeJsonFeed,
  },
];

/** Last-Modified has whole seconds, so a second change within one would stay unnoticed. */
const SETTLED_MS = 1000;

/** Of a feed, which expires by itself when its time is settled. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/**
 * A feed changes with a new message, and when a record is hidden, unhidden or erased. An import of older
 * messages does not count: a client that sends no ETag gets them with the next message.
 * @returns null for a feed without messages, and until the time is settled, at which the feed expires
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

/** The feeds: at most 50 messages, fewer if they are long. @param cacheControl of reads of the store */
export function createFeedDocuments(source: FeedSource, cacheControl: string): Document[] {
  const toContent = async (content: FeedContent, write: WriteFeed, { expireAt }: Reading) => {
    const { feed } = source.workspace;
    return {
      text: await write(content),
      lastModified: lastModified(content, await feed.moderatedAt(), expireAt),
    };
  };
  return [
    ...FORMATS.map(
      ({ write, ...format }): Document => ({
        ...format,
        cacheControl,
        freshMs: FRESH_MS,
        query: FeedSelection,
        body: async (_, filters, reading) => {
          const selection = FeedSelection.parse(filters);
          return toContent(
            await readFeedContent(source, format.path, selection, reading.pause),
            write,
            reading,
          );
        },
      }),
    ),
    {
      path: '/posts/{postId}/feed.atom',
      summary: 'The newest messages of the thread of a post as Atom',
      type: ATOM_TYPE,
      cacheControl,
      freshMs: FRESH_MS,
      body: async ({ postId = '' }, _, reading) =>
        toContent(await readThreadContent(source, postId, reading.pause), writeAtom, reading),
    },
  ];
}
