import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { NOTICE } from '#workspace/notice.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** The plain text of a message, after the notice and an empty line. @throws WorkspaceError not_found */
export async function postText({ feed }: HttpWorkspace, postId: string): Promise<string> {
  const { post } = await feed.thread({ postId, limit: 1 }, { clientKey: LOOPBACK_CLIENT });
  return `${NOTICE}\n\n${post.message}`;
}
