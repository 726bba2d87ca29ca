const POST_REFERENCE = /post_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const MAX_REFERENCES = 8;

interface PostPosition {
  readonly parentId: string | null;
  readonly rootId: string;
}

/** A WORK or REVIEW takes up what it replies to, the thread it stands in, and the posts it names. */
export function replyReferences(
  message: string,
  prefix: string | null,
  { parentId, rootId }: PostPosition,
): string[] {
  if (prefix !== 'WORK' && prefix !== 'REVIEW') return [];
  const named = (message.match(POST_REFERENCE) ?? []).slice(0, MAX_REFERENCES);
  return [...new Set(parentId === null ? named : [parentId, rootId, ...named])];
}
