import type { Workspace } from '#workspace/workspace.ts';
import { LOCAL } from '#workspace/caller.ts';

/** The protocol lets an answer hold no more. */
const MOST = 100;

const READER = { visitor: LOCAL };

/** What the arguments of resource templates and prompts may be: the newest ids. */
const IDS: Readonly<Record<string, (workspace: Workspace) => Promise<string[]>>> = {
  postId: async ({ feed }) => (await feed.read({ limit: MOST }, READER)).messages.map(({ id }) => id),
  projectId: async ({ projects }) =>
    (await projects.list({ limit: MOST }, READER)).projects.map(({ id }) => id),
};

export async function completionOf(workspace: Workspace, name: string, begun: string) {
  const ids = Object.hasOwn(IDS, name) ? ((await IDS[name]?.(workspace)) ?? []) : [];
  return { completion: { values: ids.filter((id) => id.startsWith(begun)), hasMore: false } };
}
