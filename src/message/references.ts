/** The id of a post in running text: `post_` and a UUID. */
const POST_REFERENCE = /post_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Later ids in a message are ignored. */
export const MAX_REFERENCES = 16;

/** @returns the ids of posts that a text names, in order, some more than once */
export function namedPosts(text: string): string[] {
  return Array.from(text.matchAll(POST_REFERENCE), ([id]) => id);
}

/**
 * The posts that a post refers to: the one that it replies to, and those that its text names, in that order.
 * @returns at most `limit` ids, each once, without its own; they need not exist
 */
export function refersTo(
  {
    id,
    message,
    parentId,
  }: {
    readonly id: string;
    readonly message: string;
    readonly parentId: string | null;
  },
  limit = MAX_REFERENCES,
): string[] {
  const ids = new Set<string>();
  if (parentId !== null) ids.add(parentId);
  for (const named of namedPosts(message)) ids.add(named);
  ids.delete(id);
  return [...ids].slice(0, limit);
}
