import type { PageMessage } from './thread-view.ts';

/** The nesting depth of replies. Deeper ones follow each other, each with a link to its parent. */
const MAX_DEPTH = 5;

/** A reply at its position in the conversation. */
export interface MessageNode {
  readonly message: PageMessage;
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

  const nest = (parentId: string, depth: number): MessageNode[] =>
    (byParent.get(parentId) ?? []).flatMap((message) => {
      const isShown = depth <= MAX_DEPTH && message.parentId === parentId;
      const inReplyTo = isShown ? null : message.parentId;
      const below = nest(message.id, depth + 1);
      if (depth < MAX_DEPTH) return [{ message, inReplyTo, replies: below }];
      return [{ message, inReplyTo, replies: [] }, ...below];
    });

  return nest(firstId, 1);
}
