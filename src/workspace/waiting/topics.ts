import type { NewsQuery } from '#workspace/news.ts';
import type { Topic } from './waiters.ts';

/** @returns the topics of which one at least wakes a call for every post that its query matches */
export function topicsOf({ posts, prefix }: Pick<NewsQuery, 'posts' | 'prefix'>): Topic[] {
  if (posts !== undefined) return posts as Topic[];
  return [prefix === undefined ? 'feed' : `prefix ${prefix}`];
}
