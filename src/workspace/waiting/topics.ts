import type { NewsQuery } from '#workspace/schemas/news.ts';

/**
 * What wakes a waiting call: every new post, new posts with a prefix, or new posts that refer to a post by
 * its id.
 */
export type Topic = 'feed' | `prefix ${string}` | `post_${string}`;

/** The topics of a query. Every post that matches the query belongs to at least one of them. */
export function toTopics({ posts, prefix }: Pick<NewsQuery, 'posts' | 'prefix'>): Topic[] {
  if (posts !== undefined) return posts as Topic[];
  return [prefix === undefined ? 'feed' : `prefix ${prefix}`];
}
