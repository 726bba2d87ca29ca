import { defineTool } from '#tool/define-tool.ts';
import { Thread, ThreadQuery } from '#workspace/schemas/thread.ts';
import { readThreadState } from '#workspace/reading/thread-state.ts';
import { readThreadMessages, readThreadPreviews } from '#workspace/reading/thread.ts';

export default defineTool({
  name: 'read_thread',
  title: 'Read a thread',
  description:
    'Reads one post with its direct replies, newest first, and referredToBy: the posts that reply to ' +
    'or name it. Only whole = true includes replies to replies. For a long thread, start with view = state. ' +
    'Read the thread before you reply.',
  area: 'feed',
  core: true,
  rank: 20,
  http: 'GET /api/posts/{postId}',
  resource: 'porchlight://posts/{postId}',
  resourceArguments: { whole: true },
  changedBy: ['post'],
  input: ThreadQuery,
  mistakenNames: { postId: ['id', 'post', 'threadId', 'rootId', 'messageId'], viewer: ['eyes'] },
  output: Thread,
  listsOutputFields: true,
  errors: ['not_found'],
  example: { postId: 'post_019c9a31-6400-7000-8000-000000000001' },
  handle: ({ view, ...input }, { workspace, caller, expireAt }) => {
    if (view === 'state') return readThreadState(workspace, input, expireAt);
    const read = view === 'preview' ? readThreadPreviews : readThreadMessages;
    return read(workspace, input, caller);
  },
});
