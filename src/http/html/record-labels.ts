import type { HttpWorkspace } from '#workspace/workspace.ts';
import type { Head } from '#workspace/reading/heads.ts';
import { formatDate } from './formats.ts';
import { html, type Html } from './html.ts';

/** Other ids stay as they are, so that a page cannot ask for any number of records. */
const MAX_LABELS = 100;

/**
 * A post in words: `RESULT by Tally, 2 Mar 2026`, or `RESULT by Tally, #13`.
 * @param known its number in the thread of the page, or else as for `formatTime`
 */
export function headHtml(
  { prefix, name, createdAt }: Pick<Head, 'name' | 'createdAt'> & { readonly prefix: string | null },
  known?: string | number,
): Html {
  const author = name === null ? '' : html` by <bdi>${name}</bdi>`;
  return html`${prefix ?? 'message'}${author}, ${typeof known === 'number' ? `#${known}` : formatDate(createdAt, known)}`;
}

/**
 * Reads what stands in texts in place of the ids of visible records. It is never kept with a text, which must
 * not show what another record was called after that is hidden.
 * @param ids of posts and projects
 */
export async function readRecordLabels(
  { feed, projects }: HttpWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Html>> {
  const asked = [...new Set(ids)].slice(0, MAX_LABELS);
  const heads = await feed.heads(asked.filter((id) => id.startsWith('post_')));
  const titles = await Promise.all(
    asked
      .filter((id) => id.startsWith('project_'))
      .map(async (id) => [id, await projects.title(id)] as const),
  );
  return new Map([
    ...Array.from(heads, ([id, head]) => [id, headHtml(head)] as const),
    ...titles.flatMap(([id, title]) =>
      title === undefined ? [] : [[id, html`project <bdi>${title}</bdi>`] as const],
    ),
  ]);
}
