import type { Post } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import { toTimestamp } from './columns/time-key.ts';
import type { RecordIndex } from './record-index.ts';
import { walkPosts } from './walk-posts.ts';

/** @param currentIndex as of `createReader` */
export async function findFirstPosts(
  currentIndex: () => Promise<RecordIndex>,
  limit: number,
): Promise<Pick<Post, 'id' | 'createdAt'>[]> {
  const found: Pick<Post, 'id' | 'createdAt'>[] = [];
  await walkPosts(currentIndex, { order: 'newest' }, (batch, { table }) => {
    for (const post of batch)
      if (table.parentOf(post) === NONE && found.length < limit)
        found.push({ id: table.ids.idOf(post), createdAt: toTimestamp(table.timeOf(post)) });
    return found.length < limit;
  });
  return found;
}
