const NAMED_POST = /post_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const MOST_NAMED = 8;

interface Place {
  readonly parentId: string | null;
  readonly rootId: string;
}

/** A WORK or REVIEW takes up what it replies to, the thread it stands in, and the posts it names. */
export function answersOf(message: string, prefix: string | null, { parentId, rootId }: Place): string[] {
  if (prefix !== 'WORK' && prefix !== 'REVIEW') return [];
  const named = (message.match(NAMED_POST) ?? []).slice(0, MOST_NAMED);
  return [...new Set(parentId === null ? named : [parentId, rootId, ...named])];
}
