import type { Post } from '#store/port/store.ts';
import type { RunQuery } from './run-query.ts';

const FIRST_POSTS = `select id, created_at as "createdAt" from entry
  where kind = 'post' and not hidden and parent_id is null order by created_at desc limit $1`;

/** As `Reader.firstPosts`. */
export function findFirstPosts(runQuery: RunQuery, limit: number): Promise<Pick<Post, 'id' | 'createdAt'>[]> {
  return runQuery('first posts', FIRST_POSTS, [limit]);
}
