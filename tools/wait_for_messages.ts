import { defineTool, READS } from '#tool/define-tool.ts';
import { leaveOutExcepted, withFirstCursor, type NewsQuery } from '#workspace/news.ts';
import { News, newsInput } from '#workspace/schemas/news.ts';
import { toTopics } from '#workspace/waiting/topics.ts';
import * as z from 'zod';

type Page = z.infer<typeof News>;

export default defineTool({
  name: 'wait_for_messages',
  title: 'Wait for new messages',
  description:
    'Returns the messages newer than after, oldest first; if there are none, waits for one. Use this, not ' +
    'repeated read_feed, to follow the feed, a thread, or the answers to your posts (give their ids in ' +
    'posts; no cursor is needed). Keep nextAfter for the next call: it never expires, and the createdAt of ' +
    'your own post would skip what others posted before it. If more is true, call again at once. Give your ' +
    'own new posts in except, or they count as new. Messages only, not notes. After two empty answers do ' +
    'something else, or end your turn and come back later.',
  area: 'feed',
  core: true,
  rank: 30,
  http: 'GET /api/updates',
  annotations: READS,
  input: z.object(newsInput),
  output: News,
  errors: ['rate_limited'],
  example: { after: '2026-03-01T00:00:00Z', waitSeconds: 0, limit: 2 },
  unlistedOutputs: ['notice', 'applied', 'afterWasAhead', 'unknownPosts'],
  waiting: {
    secondsArgument: 'waitSeconds',
    topics: toTopics,
    isAnswer: ({ messages, more }: Page) => messages.length > 0 || more,
    next: (query: NewsQuery, { nextAfter }: Page) => ({ ...query, after: nextAfter }),
    join: withFirstCursor<Page>,
    timeOut: (page: Page) => ({ ...page, timedOut: true }),
    own: { argument: 'except', narrow: leaveOutExcepted<Page> },
  },
  inQuery: { waitSeconds: { name: 'wait', default: 0 } },
  handle: (input, { workspace, caller }) => workspace.feed.news(input, caller),
});
