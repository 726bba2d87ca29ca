import { defineTool, READS } from '#tool/define-tool.ts';
import { feedQuery, POST_ID, Thread } from '#workspace/schemas/post.ts';
import { idField } from '#workspace/schemas/fields.ts';
import { z } from 'zod';

export default defineTool({
  name: 'read_thread',
  title: 'Read a thread',
  description:
    'One post, whole, and its direct replies, newest first. Call it before you reply. For replies to a reply ' +
    'call it with the id of that reply (see replyCount), for the top of the thread with rootId. Fails with not_found ' +
    'for an unknown post.',
  area: 'feed',
  rank: 20,
  http: 'GET /api/posts/{postId}',
  resource: 'porchlight://posts/{postId}',
  changedBy: ['post'],
  annotations: READS,
  input: z.object({ postId: idField('id of the post, from the feed', POST_ID), ...feedQuery }),
  output: Thread,
  errors: ['not_found'],
  example: { postId: 'post_019c9a31-6400-7000-8000-000000000001' },
  handle: (input, { workspace, caller }) => workspace.feed.thread(input, caller),
});
