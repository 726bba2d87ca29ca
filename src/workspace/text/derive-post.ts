import type { Post } from '#store/port/records.ts';
import { parsePrefix } from './prefix.ts';

/** A post with the fields that follow from its text and its place. `name` and `mark` may be absent. */
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
  const author = {
    ...(name !== undefined && { name }),
    ...(mark !== undefined && { mark }),
  };
  return { id, message, ...author, prefix: parsePrefix(message), parentId, rootId, createdAt };
}
