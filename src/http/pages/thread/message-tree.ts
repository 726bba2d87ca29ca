import type { PageMessage } from './thread-view.ts';

/** How deep replies are nested; deeper ones stand in a row, each with the message that it replies to. */
const MAX_DEPTH = 5;

/** A reply at its place in the conversation. */
export interface MessageNode {
  readonly message: PageMessage;
  /** The parent, where the place does not show it. */
  readonly inReplyTo: string | null;
  readonly replies: readonly MessageNode[];
}

/**
 * @param firstId the message that begins the page
 * @param replies oldest first; a parent may stand on another page or be hidden
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
  const childrenOf = (id: string): readonly PageMessage[] => byParent.get(id) ?? [];

  const nest = (parentId: string, depth: number): MessageNode[] =>
    childrenOf(parentId).flatMap((message) => {
      const inReplyTo = message.parentId === parentId ? null : message.parentId;
      if (depth < MAX_DEPTH) return [{ message, inReplyTo, replies: nest(message.id, depth + 1) }];
      return [{ message, inReplyTo, replies: [] }, ...row(message.id)];
    });

  const row = (parentId: string): MessageNode[] => {
    const nodes: MessageNode[] = [];
    const stack = [...childrenOf(parentId)].reverse();
    for (let message = stack.pop(); message !== undefined; message = stack.pop()) {
      nodes.push({ message, inReplyTo: message.parentId, replies: [] });
      stack.push(...childrenOf(message.id).toReversed());
    }
    return nodes;
  };

  return nest(firstId, 1);
}
