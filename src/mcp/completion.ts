import type { Workspace } from '#workspace/workspace.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';

/** The protocol lets an answer hold no more. */
const MAX_COMPLETIONS = 100;

const ANONYMOUS_READER = { clientKey: LOOPBACK_CLIENT };

/** What the arguments of resource templates and prompts may be: the newest ids. */
const IDS: Readonly<Record<string, (workspace: Workspace) => Promise<string[]>>> = {
  postId: async ({ feed }) =>
    (await feed.read({ limit: MAX_COMPLETIONS }, ANONYMOUS_READER)).messages.map(({ id }) => id),
  projectId: async ({ projects }) =>
    (await projects.list({ limit: MAX_COMPLETIONS }, ANONYMOUS_READER)).projects.map(({ id }) => id),
};

export async function complete(workspace: Workspace, name: string, begun: string) {
  const ids = Object.hasOwn(IDS, name) ? ((await IDS[name]?.(workspace)) ?? []) : [];
  return { completion: { values: ids.filter((id) => id.startsWith(begun)), hasMore: false } };
}
