/**
 * What wakes a waiting call: every new post, new posts with a prefix, or new posts that refer to a post by
 * its id.
 */
export type Topic = 'feed' | `prefix ${string}` | `post_${string}`;

interface TopicFilter {
  readonly posts?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
}

/** The topics of a query. Every post that matches the query belongs to at least one of them. */
export function toTopics({ posts, prefix }: TopicFilter): Topic[] {
  if (posts !== undefined) return posts as Topic[];
  return [prefix === undefined ? 'feed' : `prefix ${prefix}`];
}
