const POST_REFERENCE = /post_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** How many ids in a message count, and how many signers on its lines "Trust:" and "Distrust:". */
export const MAX_REFERENCES = 16;

/** @returns the ids of posts that a text names, in order, some more than once */
export function namedPosts(text: string): string[] {
  // Most texts name none, and `includes` finds that out in a fraction of the time.
  return text.includes('post_') ? (text.match(POST_REFERENCE) ?? []) : [];
}

type Naming = Readonly<{ id: string; message: string; parentId: string | null }>;

/**
 * Returns the post that a post replies to, then those that its text names. They need not exist.
 * @returns at most `limit` ids, each once, without its own
 */
export function refersTo({ id, message, parentId }: Naming, limit = MAX_REFERENCES): string[] {
  const named = namedPosts(message);
  if (named.length === 0) return parentId === null ? [] : [parentId];
  const ids = new Set(parentId === null ? named : [parentId, ...named]);
  ids.delete(id);
  return [...ids].slice(0, limit);
}
