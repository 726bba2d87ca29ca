import type { Reader } from '#store/store.ts';
import { titleOf } from './text/title.ts';

/** @returns the titles of threads by the ids of their first posts; those whose first post is not visible are left out */
export async function threadTitlesOf(
  read: Pick<Reader, 'find'>,
  rootIds: Iterable<string>,
): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  await Promise.all(
    [...new Set(rootIds)].map(async (id) => {
      const root = await read.find('post', id);
      if (root !== undefined) titles.set(id, titleOf(root.record.message));
    }),
  );
  return titles;
}
