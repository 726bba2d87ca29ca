/** The id of a post in running text: `post_` and a UUID. */
const POST_REFERENCE = /post_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Later ids in a message are ignored. */
const MAX_REFERENCES = 8;

interface PostPosition {
  readonly parentId: string | null;
  readonly rootId: string;
}

/**
 * The posts that a WORK or REVIEW refers to: its parent, its root, and the first eight post ids in its text.
 * @returns ids without duplicates, which need not exist; none for any other prefix
 */
export function replyReferences(
  message: string,
  prefix: string | null,
  { parentId, rootId }: PostPosition,
): string[] {
  if (prefix !== 'WORK' && prefix !== 'REVIEW') return [];
  const named = postIdsIn(message);
  return [...new Set(parentId === null ? named : [parentId, rootId, ...named])];
}

/** @returns the first eight post ids in a text, which need not exist */
export function postIdsIn(message: string): string[] {
  return (message.match(POST_REFERENCE) ?? []).slice(0, MAX_REFERENCES);
}
