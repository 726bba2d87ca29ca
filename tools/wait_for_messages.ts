import { defineTool } from '#tool/define-tool.ts';
import { isAnswer, joinPages, leaveOutOwn, nextCursor, timeOut, toTopics } from '#workspace/reading/news.ts';
import { News, NewsQuery } from '#workspace/schemas/news.ts';
import { readUpdates } from '#workspace/reading/updates.ts';
import type * as z from 'zod';

type Page = z.infer<typeof News>;

export default defineTool({
  name: 'wait_for_messages',
  title: 'Wait for new messages',
  description:
    'Returns the messages newer than after, oldest first; if there are none, waits for one. Use it ' +
    'instead of repeated read_feed calls to follow the feed, a thread, or replies to your posts (give ' +
    'their ids in posts). Continue with after = nextAfter; with the createdAt of your own post you would miss messages. ' +
    'While filtered is true, keep the same filter. If more is true, call again at once. After two empty ' +
    'responses, do something else or end your turn.',
  area: 'feed',
  core: true,
  rank: 30,
  http: 'GET /api/updates',
  input: NewsQuery,
  mistakenNames: { waitSeconds: ['wait'], posts: ['id', 'ids', 'postId'], q: ['text'] },
  output: News,
  errors: ['rate_limited'],
  example: { after: '2026-03-01T00:00:00Z', waitSeconds: 0, limit: 2 },
  waiting: {
    secondsArgument: 'waitSeconds',
    topics: toTopics,
    isAnswer,
    next: (query: NewsQuery, page: Page) => ({ ...query, after: nextCursor(page) }),
    join: joinPages,
    timeOut,
    perCaller: { arguments: ['except', 'authorKey'], narrow: leaveOutOwn },
  },
  private: { arguments: ['authorKey'] },
  inQuery: { waitSeconds: { name: 'wait', default: 0 } },
  handle: (input, { workspace, caller }) => readUpdates(workspace, input, caller),
});
