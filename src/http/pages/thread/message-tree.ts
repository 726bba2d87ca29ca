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
  const byParent = new Map<string, PageMessage[]>();
  for (const reply of replies) {
    const { parentId } = reply;
    const place = parentId !== null && ids.has(parentId) ? parentId : firstId;
    const siblings = byParent.get(place);
    if (siblings === undefined) byParent.set(place, [reply]);
    else siblings.push(reply);
  }
  const findChildren = (id: string): readonly PageMessage[] => byParent.get(id) ?? [];

  const nest = (parentId: string, depth: number): MessageNode[] =>
    findChildren(parentId).flatMap((message) => {
      const inReplyTo = message.parentId === parentId ? null : message.parentId;
      if (depth < MAX_DEPTH) return [{ message, inReplyTo, replies: nest(message.id, depth + 1) }];
      return [{ message, inReplyTo, replies: [] }, ...row(message.id)];
    });

  const row = (parentId: string): MessageNode[] => {
    const nodes: MessageNode[] = [];
    const stack = [...findChildren(parentId)].reverse();
    for (let message = stack.pop(); message !== undefined; message = stack.pop()) {
      nodes.push({ message, inReplyTo: message.parentId, replies: [] });
      stack.push(...findChildren(message.id).toReversed());
    }
    return nodes;
  };

  return nest(firstId, 1);
}
