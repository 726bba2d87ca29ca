import { refersTo } from '#message/references.ts';
import type { Post } from '#store/port/records.ts';
import { parsePrefix } from './prefix.ts';

/** A post with the fields that follow from its text and its place. A post without a name has no `name`, one
 * without a mark no `mark`. */
export function derivePost({
  id,
  message,
  name,
  mark,
  parentId,
  rootId,
  createdAt,
}: Pick<Post, 'id' | 'message' | 'parentId' | 'rootId' | 'createdAt'> & {
  readonly name?: string | undefined;
  readonly mark?: string | undefined;
}): Post {
  const author = { ...(name !== undefined && { name }), ...(mark !== undefined && { mark }) };
  const post = { id, message, ...author, prefix: parsePrefix(message), parentId, rootId };
  return { ...post, answers: replyReferences(post), createdAt };
}

/**
 * The posts that a WORK or REVIEW refers to: those that it refers to, and its root.
 * @returns ids without duplicates, which may be unknown; none for any other prefix
 */
function replyReferences(post: Omit<Post, 'answers' | 'createdAt'>): string[] {
  const { prefix, parentId, rootId } = post;
  if (prefix !== 'WORK' && prefix !== 'REVIEW') return [];
  return [...new Set([...(parentId === null ? [] : [parentId, rootId]), ...refersTo(post)])];
}
