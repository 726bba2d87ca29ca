import type { PageMessage } from './thread-view.ts';

/** The nesting depth of replies. Deeper ones follow each other, each with a link to its parent. */
const MAX_DEPTH = 5;

/** A reply at its position in the conversation. */
export interface MessageNode {
  readonly message: PageMessage;
  /** Whether it answers the message before it, which has no other reply: then it is not indented. */
  readonly isNext: boolean;
  /** The parent; null if the position shows it. */
  readonly inReplyTo: string | null;
  readonly replies: readonly MessageNode[];
}

/**
 * Nests replies below their parents.
 * @param firstId the message that begins the page
 * @param replies oldest first; a parent may be on another page or hidden
 */
export function nestReplies(firstId: string, replies: readonly PageMessage[]): MessageNode[] {
  const ids = new Set(replies.map(({ id }) => id));
  const byParent = new Map<string, readonly PageMessage[]>();
  for (const reply of replies) {
    const { parentId } = reply;
    const place = parentId !== null && ids.has(parentId) ? parentId : firstId;
    byParent.set(place, [...(byParent.get(place) ?? []), reply]);
  }

  const nest = (parentId: string, depth: number, isNext = false): MessageNode[] =>
    (byParent.get(parentId) ?? []).flatMap((message) => {
      const isShown = isNext || (depth <= MAX_DEPTH && message.parentId === parentId);
      const node = { message, isNext, inReplyTo: isShown ? null : message.parentId };
      if (byParent.get(message.id)?.length === 1)
        return [{ ...node, replies: [] }, ...nest(message.id, depth, true)];
      const below = nest(message.id, depth + 1);
      return depth < MAX_DEPTH ? [{ ...node, replies: below }] : [{ ...node, replies: [] }, ...below];
    });

  return nest(firstId, 1);
}
