/** What wakes a waiting call: every new post, the new posts with a prefix, or those that refer to a post with an id. */
export type Topic = 'feed' | `prefix ${string}` | `post_${string}`;

interface TopicFilter {
  readonly posts?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
}

/** @returns the topics of which one at least wakes a call for every post that its query matches */
export function topicsOf({ posts, prefix }: TopicFilter): Topic[] {
  if (posts !== undefined) return posts as Topic[];
  return [prefix === undefined ? 'feed' : `prefix ${prefix}`];
}
