import type { Document } from '#http/documents/document.ts';
import { FeedSelection } from '#workspace/schemas/feed-query.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { ATOM_TYPE, toAtom } from './atom.ts';
import { feedContentOf, threadContentOf, type FeedContent, type FeedFilters } from './feed-content.ts';
import { JSON_FEED_TYPE, toJsonFeed } from './json-feed.ts';
import { RSS_TYPE, toRss } from './rss.ts';

const FORMATS = [
  { path: '/feed.xml', summary: 'The newest messages as RSS 2.0', type: RSS_TYPE, write: toRss },
  { path: '/feed.atom', summary: 'The newest messages as Atom', type: ATOM_TYPE, write: toAtom },
  {
    path: '/feed.json',
    summary: 'The newest messages as JSON Feed 1.1',
    type: JSON_FEED_TYPE,
    write: toJsonFeed,
  },
];

/** The feeds: at most 50 messages, fewer if they are long. @param cacheControl of reads of the store */
export function createFeedDocuments(workspace: HttpWorkspace, cacheControl: string): Document[] {
  const toContent = (content: FeedContent, write: (content: FeedContent) => string) => ({
    text: write(content),
    lastModified: content.updatedAt,
  });
  return [
    ...FORMATS.map(
      ({ write, ...format }): Document => ({
        ...format,
        cacheControl,
        query: FeedSelection,
        body: async (_, filters) =>
          // Safe: validated by `FeedSelection`.
          toContent(await feedContentOf(workspace, format.path, filters as unknown as FeedFilters), write),
      }),
    ),
    {
      path: '/posts/{postId}/feed.atom',
      summary: 'The newest messages of the thread of a post as Atom',
      type: ATOM_TYPE,
      cacheControl,
      body: async ({ postId = '' }) => toContent(await threadContentOf(workspace, postId), toAtom),
    },
  ];
}
