import type { Reader } from '#store/port/store.ts';
import { toTitle } from './text/title.ts';

/**
 * Reads the titles of threads by the ids of their first posts. It leaves out threads whose first post is not
 * visible.
 */
export async function readThreadTitles(
  read: Pick<Reader, 'find'>,
  rootIds: Iterable<string>,
): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  await Promise.all(
    [...new Set(rootIds)].map(async (id) => {
      const root = await read.find('post', id);
      if (root !== undefined) titles.set(id, toTitle(root.record.message));
    }),
  );
  return titles;
}
