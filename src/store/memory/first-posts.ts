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
  await walkPosts(currentIndex, { order: 'newest' }, ({ id, createdAt, parentId }) => {
    if (parentId === null) found.push({ id, createdAt });
    return found.length < limit;
  });
  return found;
}
