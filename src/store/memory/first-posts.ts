import type { Post } from '#store/store.ts';
import type { RecordIndex } from './record-index.ts';
import { walkPosts } from './walk-posts.ts';

/**
 * As `Reader.firstPosts`.
 * @param currentIndex as of `createReader`
 */
export async function findFirstPosts(
  currentIndex: () => Promise<RecordIndex>,
  limit: number,
): Promise<Pick<Post, 'id' | 'createdAt'>[]> {
  const found: Pick<Post, 'id' | 'createdAt'>[] = [];
  await walkPosts(currentIndex, { order: 'newest' }, (batch) => {
    for (const { record } of batch)
      if (record.parentId === null) found.push({ id: record.id, createdAt: record.createdAt });
    return found.length < limit;
  });
  return found.slice(0, limit);
}
