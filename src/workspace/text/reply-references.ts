import { takesUp } from '#message/references.ts';
import type { Post } from '#store/port/store.ts';

/**
 * The posts that a WORK or REVIEW refers to: those that it takes up, and its root.
 * @returns ids without duplicates, which may be unknown; none for any other prefix
 */
export function replyReferences(
  post: Pick<Post, 'id' | 'message' | 'prefix' | 'parentId' | 'rootId'>,
): string[] {
  const { prefix, parentId, rootId } = post;
  if (prefix !== 'WORK' && prefix !== 'REVIEW') return [];
  return [...new Set([...(parentId === null ? [] : [parentId, rootId]), ...takesUp(post)])];
}
