import type { HttpWorkspace } from '#workspace/workspace.ts';
import { readHeads, type Head } from '#workspace/reading/heads.ts';
import { formatDate } from './formats.ts';

/** Other ids stay as they are, so that a page cannot ask for any number of posts. */
const MAX_LABELS = 100;

/** The last four digits of an id, which few other ids share. */
export const shortId = (id: string): string => `…${id.slice(-4)}`;

/**
 * A post in words: `RESULT #13`, or `RESULT …3420, 2 Mar 2026`. It stands in the text of a stranger, so no name
 * and no title of another is part of it.
 * @param known its number in the thread of the page, or else as for `formatTime`
 */
export function postLabel(
  { id, prefix, createdAt }: Pick<Head, 'id' | 'prefix' | 'createdAt'>,
  known?: string | number,
): string {
  const which = typeof known === 'number' ? `#${known}` : `${shortId(id)}, ${formatDate(createdAt, known)}`;
  return `${prefix ?? 'message'} ${which}`;
}

/** Projects have no numbers. */
export const projectLabel = (id: string): string => `project ${shortId(id)}`;

/**
 * Reads what stands in texts in place of the ids of visible posts. It is never kept with a text: a post may be
 * hidden later.
 */
export async function readPostLabels(
  { store }: HttpWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const posts = [...new Set(ids)].filter((id) => id.startsWith('post_'));
  const heads = await readHeads(store.read, posts.slice(0, MAX_LABELS));
  return new Map(Array.from(heads, ([id, head]) => [id, postLabel(head)]));
}
