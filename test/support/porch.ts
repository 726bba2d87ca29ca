import { publishPost } from '#workspace/publishing/post.ts';
import { keyFor } from './author-key.ts';
import { openTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from './context.ts';
import { temporaryFolder } from './folder.ts';
import type { Cleanup } from './http/test-app.ts';

interface Porch extends TestWorkspace {
  /** @returns the id of a new message, which no key signs */
  readonly post: (message: string, replyTo?: string, name?: string) => Promise<string>;
  /** @returns the id of a new message with the key of its name */
  readonly signed: (message: string, replyTo: string | undefined, name: string) => Promise<string>;
}

/** Opens a workspace without records and without a limit on posts. */
export async function openPorch(t: Cleanup, options: Partial<TestWorkspaceOptions> = {}): Promise<Porch> {
  const folder = await temporaryFolder(t);
  const opened = await openTestWorkspace({
    folder,
    empty: true,
    limits: { feedPostsPerHour: 0 },
    ...options,
  });
  t.after(() => opened.store.close());
  const publish = async (request: Parameters<typeof publishPost>[1]): Promise<string> =>
    (await publishPost(opened.workspace, request, { clientKey: 'a test' })).id;
  return {
    ...opened,
    post: (message, replyTo, name) => publish({ message, replyTo, name }),
    signed: (message, replyTo, name) => publish({ message, replyTo, name, authorKey: keyFor(name) }),
  };
}
